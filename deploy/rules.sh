#!/usr/bin/env bash
# Writes the alerts as the Prometheus operator wants them. After a change of deploy/alerts.yml or deploy/analytics.yml:
#
#   deploy/rules.sh >deploy/kubernetes/rules.yaml
set -euo pipefail
cd "$(dirname "$0")"

cat <<'END'
# The alerts, for the Prometheus operator; its `ruleSelector` has to select them. Made by deploy/rules.sh from deploy/alerts.yml and
# deploy/analytics.yml: change those.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: steadfast
spec:
  groups:
END
for file in alerts.yml analytics.yml; do
  sed '1,/^groups:$/d; s/^./  &/' "$file"
done
