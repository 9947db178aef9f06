//! Whom the webhook is trusted to be: the certificate that came with it, or who is vouched for by that.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// Trusts exactly the uploaded certificates, as servers' own, and what they signed. The usual `openssl req -x509` makes one that
/// calls itself an authority, which webpki takes for no server's.
#[derive(Debug)]
struct Own {
    uploaded: Vec<CertificateDer<'static>>,
    signed: Arc<WebPkiServerVerifier>,
}

/// Whether there can be TLS by this certificate; or why not.
pub(crate) fn check(pem: &str) -> Result<(), String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    own(pem, provider).map(drop)
}

/// TLS for a webhook that came with a certificate; or why there is none.
pub(super) fn own(pem: &str, provider: Arc<CryptoProvider>) -> Result<ClientConfig, String> {
    let uploaded = CertificateDer::pem_slice_iter(pem.as_bytes()).flatten();
    let uploaded: Vec<CertificateDer<'static>> = uploaded.collect();
    let mut roots = RootCertStore::empty();
    for certificate in &uploaded {
        let added = roots.add(certificate.clone());
        added.map_err(|error| error.to_string())?;
    }
    let signed = WebPkiServerVerifier::builder_with_provider(roots.into(), Arc::clone(&provider));
    let signed = signed.build().map_err(|error| error.to_string())?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Own { uploaded, signed }))
        .with_no_client_auth();
    Ok(config)
}

impl ServerCertVerifier for Own {
    fn verify_server_cert(
        &self,
        server: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.uploaded.iter().any(|own| own == server) {
            return Ok(ServerCertVerified::assertion());
        }
        self.signed.verify_server_cert(server, between, name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        server: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed.verify_tls12_signature(message, server, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        server: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed.verify_tls13_signature(message, server, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.signed.supported_verify_schemes()
    }
}
