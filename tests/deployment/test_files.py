"""What no schema knows of the files in deploy/ and nginx/: that they fit together, and keep what the README promises."""

import json
import re
from pathlib import Path

import pytest
import yaml

REPO = Path(__file__).resolve().parents[2]
DEPLOY = REPO / "deploy"
KUBERNETES = DEPLOY / "kubernetes"
BOTS = ["bot-1", "bot-2", "bot-3"]


def read(path):
    return yaml.safe_load((REPO / path).read_text())


@pytest.fixture(scope="module")
def compose():
    return read("deploy/compose.yaml")


@pytest.fixture(scope="module")
def manifests():
    files = sorted(KUBERNETES.glob("*.yaml"))
    documents = [it for file in files for it in yaml.safe_load_all(file.read_text())]
    return {(it["kind"], it.get("metadata", {}).get("name")): it for it in documents}


@pytest.fixture(scope="module")
def pod(manifests):
    return manifests["Deployment", "steadfast"]["spec"]["template"]["spec"]


@pytest.fixture(scope="module")
def dashboard():
    return json.loads((DEPLOY / "grafana/dashboards/steadfast.json").read_text())


def seconds(text):
    assert text.endswith("s"), text
    return int(text[:-1])


# compose


def test_only_nginx_is_published_to_the_world(compose):
    for name, service in compose["services"].items():
        for port in service.get("ports", []):
            assert name == "nginx" or port.startswith("127.0.0.1:"), f"{name} publishes {port}"


def test_every_container_is_read_only_without_rights_and_watched(compose):
    for name, service in compose["services"].items():
        assert service["read_only"] and service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        # The bot brings its health check with its image.
        assert name in BOTS or service["healthcheck"]["test"], name
    checks = re.findall(r"^HEALTHCHECK .* CMD (.+)$", (DEPLOY / "Dockerfile").read_text(), re.M)
    assert checks == ['["/usr/local/bin/steadfast", "health"]']


def test_the_replicas_differ_only_in_address_and_volume(compose):
    def same(name):
        service = dict(compose["services"][name])
        return {key: service[key] for key in service if key not in ("networks", "volumes")}

    assert same("bot-1") == same("bot-2") == same("bot-3")


def test_a_container_may_take_longer_to_stop_than_the_bot_does(compose):
    for name in BOTS:
        service = compose["services"][name]
        deadline = seconds(service["environment"]["SHUTDOWN_DEADLINE"])
        assert seconds(service["stop_grace_period"]) > deadline
        assert seconds(service["environment"]["DRAIN_DELAY"]) < deadline


def test_nginx_leads_to_the_replicas(compose):
    replicas = (REPO / "nginx/steadfast/replicas.conf").read_text()
    led_to = re.findall(r"^    server ([\d.]+):8080 ", replicas, re.M)
    addresses = [compose["services"][name]["networks"]["edge"]["ipv4_address"] for name in BOTS]
    assert led_to == addresses
    listens = re.search(r"listen (\d+) ssl", (REPO / "nginx/nginx.conf").read_text())[1]
    assert compose["services"]["nginx"]["ports"] == [f"443:{listens}"]


def test_redis_forgets_nothing_and_evicts_nothing(compose):
    command = compose["services"]["redis"]["command"][0]
    for words in ["--appendonly yes", "--maxmemory-policy noeviction", "--maxmemory 512mb", "\nrequirepass "]:
        assert words in command


def test_stores_have_no_way_out_and_are_reached_from_inside_alone(compose):
    assert compose["networks"]["inside"]["internal"]
    for name in ["redis", "postgres"]:
        assert compose["services"][name]["networks"] == ["inside"]


def test_what_is_mounted_exists(compose):
    for name, service in compose["services"].items():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            known = (DEPLOY / source).exists() if source.startswith(".") else source in compose["volumes"]
            assert known, f"{name} mounts {source}"


def test_every_secret_is_a_file_that_is_declared_and_used(compose):
    used = set()
    for service in compose["services"].values():
        used |= {it["source"] if isinstance(it, dict) else it for it in service.get("secrets", [])}
        for value in service.get("environment", {}).values():
            if value.startswith("/run/secrets/"):
                assert value.removeprefix("/run/secrets/") in service["secrets"]
    assert used == set(compose["secrets"])
    assert all(it["file"].startswith("./secrets/") for it in compose["secrets"].values())


def test_no_image_is_the_latest(compose):
    for name, service in compose["services"].items():
        assert name in BOTS or re.search(r":v?\d+\.?\d*", service["image"]), service["image"]


def test_prometheus_scrapes_every_replica_with_the_token(compose):
    scrape = read("deploy/prometheus.yml")["scrape_configs"][0]
    assert scrape["static_configs"][0]["targets"] == [f"{name}:9100" for name in BOTS]
    mounted = compose["services"]["prometheus"]["secrets"][0]
    assert mounted == {"source": "ops_token", "target": f"/etc/prometheus/{scrape['authorization']['credentials_file']}"}
    assert compose["services"]["bot-1"]["environment"]["OPS_ADDR"].endswith(":9100")


def test_grafana_finds_its_data_and_its_dashboard(compose):
    provided = read("deploy/grafana/provisioning/datasources/prometheus.yml")["datasources"][0]
    assert provided["url"] == "http://prometheus:9090" and provided["isDefault"]
    path = read("deploy/grafana/provisioning/dashboards/steadfast.yml")["providers"][0]["options"]["path"]
    assert f"./grafana/dashboards:{path}:ro" in compose["services"]["grafana"]["volumes"]


# Kubernetes


def test_every_manifest_is_applied():
    applied = set(read("deploy/kubernetes/kustomization.yaml")["resources"])
    there = {file.name for file in KUBERNETES.glob("*.yaml")} - {"kustomization.yaml"}
    # The real one is written by whoever deploys, and ignored by git.
    assert applied == {name.replace(".example", "") for name in there}
    assert "/deploy/kubernetes/secret.yaml" in (REPO / ".gitignore").read_text()


def test_probes_ask_the_operations_and_liveness_never_asks_redis(pod):
    container = pod["containers"][0]
    ports = {it["name"]: it["containerPort"] for it in container["ports"]}
    assert ports == {"webhook": 8080, "operations": 9100}
    asked = {name: container[f"{name}Probe"]["httpGet"] for name in ["startup", "liveness", "readiness"]}
    assert {it["port"] for it in asked.values()} == {"operations"}
    assert [asked[it]["path"] for it in ["startup", "liveness", "readiness"]] == ["/livez", "/livez", "/servingz"]


def test_a_pod_that_stops_is_found_out_before_it_closes(pod, manifests):
    probe = pod["containers"][0]["readinessProbe"]
    delay = seconds(manifests["ConfigMap", "steadfast"]["data"]["DRAIN_DELAY"])
    assert 1 < probe["failureThreshold"] and probe["failureThreshold"] * probe["periodSeconds"] < delay


def test_a_pod_may_take_longer_to_stop_than_the_bot_does(pod, manifests):
    deadline = seconds(manifests["ConfigMap", "steadfast"]["data"]["SHUTDOWN_DEADLINE"])
    assert pod["terminationGracePeriodSeconds"] >= max(50, deadline + 5)


def test_a_pod_is_restricted(pod):
    assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == 65532
    assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
    assert not pod["automountServiceAccountToken"]
    own = pod["containers"][0]["securityContext"]
    assert own["readOnlyRootFilesystem"] and not own["allowPrivilegeEscalation"]
    assert own["capabilities"] == {"drop": ["ALL"]}


def test_pods_are_spread_over_nodes_and_zones(manifests, pod):
    spread = pod["topologySpreadConstraints"]
    assert [it["topologyKey"] for it in spread] == ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]
    labels = manifests["Deployment", "steadfast"]["spec"]["template"]["metadata"]["labels"]
    assert all(it["labelSelector"]["matchLabels"] == labels and it["maxSkew"] == 1 for it in spread)


def test_the_autoscaler_keeps_three_pods_and_follows_the_cpu_they_ask_for(manifests, pod):
    spec = manifests["HorizontalPodAutoscaler", "steadfast"]["spec"]
    assert spec["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "steadfast"}
    assert 3 <= spec["minReplicas"] < spec["maxReplicas"]
    (metric,) = spec["metrics"]
    assert (metric["type"], metric["resource"]["name"]) == ("Resource", "cpu")
    assert metric["resource"]["target"]["type"] == "Utilization"
    # Which is a share of what is asked for: without that there is nothing to follow.
    assert pod["containers"][0]["resources"]["requests"]["cpu"]
    # Whatever a Deployment says would undo what the autoscaler said.
    assert "replicas" not in manifests["Deployment", "steadfast"]["spec"]


def test_every_secret_file_is_a_key_of_the_secret(manifests, pod):
    mounted = next(it["mountPath"] for it in pod["containers"][0]["volumeMounts"] if it["name"] == "secrets")
    files = [Path(it) for it in manifests["ConfigMap", "steadfast"]["data"].values() if it.startswith("/run/secrets")]
    assert {str(it.parent) for it in files} == {mounted}
    assert {it.name for it in files} == set(manifests["Secret", "steadfast"]["stringData"])


def test_whatever_selects_pods_selects_these(manifests):
    labels = manifests["Deployment", "steadfast"]["spec"]["template"]["metadata"]["labels"]
    selectors = [
        manifests["Deployment", "steadfast"]["spec"]["selector"]["matchLabels"],
        manifests["PodDisruptionBudget", "steadfast"]["spec"]["selector"]["matchLabels"],
        manifests["NetworkPolicy", "steadfast"]["spec"]["podSelector"]["matchLabels"],
        manifests["Service", "steadfast"]["spec"]["selector"],
        manifests["Service", "steadfast-operations"]["spec"]["selector"],
    ]
    assert all(it == labels for it in selectors)


def test_the_ingress_passes_the_webhook_exactly(manifests):
    (path,) = manifests["Ingress", "steadfast"]["spec"]["rules"][0]["http"]["paths"]
    assert (path["path"], path["pathType"]) == ("/webhook", "Exact")
    assert path["backend"]["service"] == {"name": "steadfast", "port": {"name": "webhook"}}


def test_the_monitor_scrapes_the_operations_with_the_token(manifests):
    monitor = manifests["ServiceMonitor", "steadfast"]
    assert monitor["apiVersion"] == "monitoring.coreos.com/v1"
    (endpoint,) = monitor["spec"]["endpoints"]
    service = manifests["Service", "steadfast-operations"]
    assert endpoint["port"] == service["spec"]["ports"][0]["name"]
    credentials = endpoint["authorization"]["credentials"]
    assert credentials["key"] in manifests["Secret", credentials["name"]]["stringData"]
    wanted = dict(monitor["spec"]["selector"]["matchLabels"])
    # The first comes from the kustomization.
    del wanted["app.kubernetes.io/name"]
    assert wanted == service["metadata"]["labels"]


def test_the_operator_gets_the_alerts_that_prometheus_gets(manifests):
    loaded = manifests["PrometheusRule", "steadfast"]
    assert loaded["apiVersion"] == "monitoring.coreos.com/v1"
    assert loaded["spec"]["groups"] == [it for file in ["alerts", "analytics"] for it in read(f"deploy/{file}.yml")["groups"]]
    assert re.findall(r"\w+", " ".join(read("deploy/prometheus.yml")["rule_files"])) == ["alerts", "yml", "analytics", "yml"]


# Grafana


def test_every_panel_has_its_own_id_a_unit_and_the_chosen_source(dashboard):
    panels = dashboard["panels"]
    assert len({it["id"] for it in panels}) == len(panels)
    assert dashboard["id"] is None and dashboard["uid"] == "steadfast"
    for panel in (it for it in panels if it["type"] != "row"):
        assert panel["datasource"]["uid"] == "${datasource}", panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        assert panel["targets"], panel["title"]


def test_no_panel_lies_over_another(dashboard):
    taken = set()
    for panel in dashboard["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken and at["x"] + at["w"] <= 24, panel["title"]
        taken |= cells


def test_rates_follow_the_interval_of_the_scrape(dashboard):
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            windows = re.findall(r"(?:rate|increase)\(.*?\[(.+?)\]", target["expr"])
            assert set(windows) <= {"$__rate_interval"}, target["expr"]


def test_the_rows_follow_the_way_of_an_update(dashboard):
    rows = [it["title"].split(":")[0] for it in dashboard["panels"] if it["type"] == "row"]
    assert [it for it in rows if it in ORDER] == ORDER


ORDER = ["Acceptance", "Replies", "Store", "Telegram", "Dialogues", "Process"]


def rules(kind):
    groups = [it for file in ["alerts", "analytics"] for it in read(f"deploy/{file}.yml")["groups"]]
    return [rule[kind] for group in groups for rule in group["rules"] if kind in rule]


def test_every_alert_is_explained_by_a_panel(dashboard):
    explained = " ".join(it.get("description", "") for it in dashboard["panels"])
    alerts = rules("alert")
    assert {"SteadfastStoreDown", "SteadfastStateSlow"} <= set(alerts)
    for alert in alerts:
        assert re.search(rf"\b{alert}\b", explained), alert


def test_every_metric_and_every_recorded_rule_is_on_a_panel(dashboard):
    shown = {
        name
        for panel in dashboard["panels"]
        for target in panel.get("targets", [])
        for name in re.findall(r"steadfast[:_][\w:]+", target["expr"])
    }
    shown |= {re.sub("_(bucket|sum|count)$", "", name) for name in shown}
    parts = (REPO / "crates/steadfast/src/telemetry/catalogue").glob("*.rs")
    catalogue = "".join(part.read_text() for part in parts)
    metrics = set(re.findall(r'^        name: "(steadfast_\w+)"', catalogue, re.M))
    assert len(metrics) > 40
    # It is what the variables are read from.
    assert metrics - shown == {"steadfast_build_info"}
    recorded = set(rules("record"))
    assert recorded and recorded == {name for name in shown if ":" in name}


def test_every_variable_that_a_panel_uses_is_there(dashboard):
    there = {it["name"] for it in dashboard["templating"]["list"]} | {"__rate_interval"}
    used = {it for it in re.findall(r"\$\{?(\w+)", json.dumps(dashboard["panels"]))}
    assert used <= there and {"job", "instance", "flow"} <= used


def test_all_jobs_are_those_of_the_bot_and_everything_else_is_looked_for_in_them(dashboard):
    variables = {it["name"]: it for it in dashboard["templating"]["list"]}
    # A pattern for all of them would match every job there is, and `up` would count Prometheus itself.
    assert "allValue" not in variables["job"]
    assert variables["job"]["definition"] == "label_values(steadfast_build_info, job)"
    for name in ["instance", "flow"]:
        assert '{job=~"$job"}' in variables[name]["definition"]
    expressions = [it["expr"] for panel in dashboard["panels"] for it in panel.get("targets", [])]
    foreign = [it for it in expressions if re.search(r"(process_|up)\w*\{", it)]
    assert foreign and all('{job=~"$job"' in it for it in foreign)


# The image


def test_the_image_runs_as_nobody_and_hears_the_signal():
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    for line in ["USER 65532:65532", "STOPSIGNAL SIGTERM", 'ENTRYPOINT ["/usr/local/bin/steadfast"]', 'CMD ["serve"]']:
        assert line in lines
    builds = [it for it in lines if "cargo chef cook" in it or "cargo build" in it]
    assert builds and all("--locked" in it for it in builds)
    assert not [it for it in lines if re.match(r"(ARG|ENV) .*(TOKEN|SECRET|PASSWORD)", it)]


def test_the_image_holds_the_program_alone_and_its_dependencies_are_a_layer_of_their_own():
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    starts = [at for at, line in enumerate(lines) if line.startswith("FROM ")]
    stages = [lines[at:end] for at, end in zip(starts, [*starts[1:], None])]
    build = next(it for it in stages if it[0].endswith(" AS build"))
    *earlier, last = stages
    # Of what compiles, nothing but the program and an empty directory arrives.
    assert build in earlier and "distroless" in last[0] and not [it for it in last if it.startswith("RUN ")]
    copied = [it.split()[-2:] for it in last if it.startswith(("COPY ", "ADD "))]
    assert copied == [["/build/target/release/steadfast", "/usr/local/bin/steadfast"], ["/empty", "/data"]]
    assert all("--from=build " in it for it in last if it.startswith(("COPY ", "ADD ")))
    # Dependencies are built before anything is there that changes more often than they do.
    cook = next(at for at, line in enumerate(build) if "cargo chef cook" in line)
    assert [it for it in build[:cook] if it.startswith(("COPY ", "ADD ", "ARG "))] == [
        "COPY --from=recipe /build/recipe.json recipe.json"
    ]
    assert "COPY src src" in build[cook:] and any("cargo build" in it for it in build[cook:])


def test_the_image_is_built_by_the_compiler_the_bot_asks_for():
    version = re.search(r'^rust-version = "(.+)"', (REPO / "Cargo.toml").read_text(), re.M)[1]
    assert f"FROM rust:{version}-" in (DEPLOY / "Dockerfile").read_text()
