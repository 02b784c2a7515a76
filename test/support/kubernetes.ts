import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

interface Failed {
  instancePath: string;
  message?: string;
  keyword: string;
}

/** A check of the package `kubernetes-models`, made from the descriptions that Kubernetes and operators publish. */
type Validate = { (data: unknown): boolean; errors?: Failed[] | null };

const OPERATOR = 'ComGithubPrometheusOperatorPrometheusOperatorPkgApisMonitoringV1';

/** The package and the name of the check of each kind that our chart renders to. */
const CHECKS: Record<string, [string, string]> = {
  'apps/v1 Deployment': ['kubernetes-models', 'IoK8sApiAppsV1Deployment'],
  'v1 Service': ['kubernetes-models', 'IoK8sApiCoreV1Service'],
  'v1 PersistentVolumeClaim': ['kubernetes-models', 'IoK8sApiCoreV1PersistentVolumeClaim'],
  'policy/v1 PodDisruptionBudget': ['kubernetes-models', 'IoK8sApiPolicyV1PodDisruptionBudget'],
  'networking.k8s.io/v1 Ingress': ['kubernetes-models', 'IoK8sApiNetworkingV1Ingress'],
  'monitoring.coreos.com/v1 ServiceMonitor': ['@kubernetes-models/prometheus-operator', `${OPERATOR}ServiceMonitor`],
  'monitoring.coreos.com/v1 PodMonitor': ['@kubernetes-models/prometheus-operator', `${OPERATOR}PodMonitor`],
};

/** What Kubernetes would say against a manifest, unknown fields included, as `kubectl --validate=strict` has it. */
export async function mistakesIn(manifest: { apiVersion: string; kind: string }): Promise<string[]> {
  const check = CHECKS[`${manifest.apiVersion} ${manifest.kind}`];
  if (!check) return [`There is no check of ${manifest.apiVersion} ${manifest.kind}`];
  const [from, name] = check;
  const main = pathToFileURL(createRequire(import.meta.url).resolve(`${from}/package.json`));
  const { validate }: { validate: Validate } = await import(String(new URL(`_schemas/${name}.js`, main)));
  const seen = new Set<string>();
  const isValid = validate(watched(manifest, '', seen));
  const failed = isValid
    ? []
    : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message ?? one.keyword}`);
  return [...failed, ...unseen(manifest, '', seen)];
}

/** The descriptions allow unknown fields, but a check reads only those that it knows: notes which are read. */
function watched<Value>(value: Value, at: string, seen: Set<string>): Value {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, name) {
      const found = Reflect.get(target, name);
      if (typeof name === 'symbol' || !Object.hasOwn(target, name)) return found;
      seen.add(`${at}/${name}`);
      return watched(found, `${at}/${name}`, seen);
    },
  });
}

function unseen(value: unknown, at: string, seen: ReadonlySet<string>): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    seen.has(`${at}/${name}`) ? unseen(one, `${at}/${name}`, seen) : [`${at}/${name} is unknown`],
  );
}
