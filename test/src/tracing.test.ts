import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startTracing, wantsTraces } from '#src/platform/observability/tracing/start.ts';
import { tracer } from '#src/platform/observability/tracing/tracer.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status: { code?: number; message?: string };
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

/** A receiver of OTLP over HTTP with what it was sent; first it is too busy, some times. */
async function startReceiver(busy = 0) {
  const spans: Span[] = [];
  const paths: string[] = [];
  const keys: unknown[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    paths.push(request.url ?? '');
    keys.push(request.headers.key);
    if (paths.length <= busy) return void response.writeHead(503).end();
    const { resourceSpans } = JSON.parse(Buffer.concat(parts).toString());
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    spans,
    paths,
    keys,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => server.close(),
  };
}

const world = await startWorld();
const user = await world.user();
const project = await world.project({ owner: user });

describe('Traces', () => {
  it('are made where the variables of OpenTelemetry ask for them', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
    expect(wantsTraces({})).toBe(false);
    expect(wantsTraces(endpoint)).toBe(true);
    expect(wantsTraces({ OTEL_TRACES_EXPORTER: 'otlp' })).toBe(true);
    expect(wantsTraces({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toBe(false);
    expect(wantsTraces({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBe(false);
  });

  it('cost nothing where they are not wanted: there is no tracer', async () => {
    await (await startTracing({}))();
    expect(tracer()).toBeNull();
  });

  it('are refused over a protocol that is not supported', async () => {
    const env = { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    await expect(startTracing(env)).rejects.toThrow('OTEL_EXPORTER_OTLP_PROTOCOL: "grpc"');
  });

  it('are refused with a sampler, a share or an address that is wrong', async () => {
    const started = (env: NodeJS.ProcessEnv) => startTracing({ OTEL_TRACES_EXPORTER: 'otlp', ...env });
    await expect(started({ OTEL_TRACES_SAMPLER: 'some' })).rejects.toThrow('OTEL_TRACES_SAMPLER: "some"');
    const share = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '5%' };
    await expect(started(share)).rejects.toThrow('OTEL_TRACES_SAMPLER_ARG: "5%"');
    const address = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' };
    await expect(started(address)).rejects.toThrow('OTEL_EXPORTER_OTLP_ENDPOINT: is not an http(s) URL');
    expect(tracer()).toBeNull();
  });

  it('are sent with the headers that are set, and again where the receiver was busy', async () => {
    const receiver = await startReceiver(1);
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/traces`,
      OTEL_EXPORTER_OTLP_HEADERS: 'key=a%20b',
    };
    const stop = await startTracing(env);
    const span = tracer()?.start('work', {
      kind: 'client',
      attributes: { text: 'a', number: 1, share: 0.5, flag: true },
    });
    span?.fail(new RangeError('secret'));
    span?.end();
    await stop();
    receiver.stop();
    expect(receiver.paths).toEqual(['/traces', '/traces']);
    expect(receiver.keys).toEqual(['a b', 'a b']);
    const [sent] = receiver.spans;
    expect(sent).toMatchObject({ name: 'work', kind: 3, status: { code: 2, message: 'RangeError' } });
    expect(sent?.attributes).toEqual([
      { key: 'text', value: { stringValue: 'a' } },
      { key: 'number', value: { intValue: 1 } },
      { key: 'share', value: { doubleValue: 0.5 } },
      { key: 'flag', value: { boolValue: true } },
    ]);
    expect(BigInt(sent?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(sent?.startTimeUnixNano ?? 0));
  });

  it('are sampled by their IDs, or as the caller decided where that is wanted', async () => {
    const receiver = await startReceiver();
    const parent = (end: string, flags: string) => `00-${'a'.repeat(18)}${end}-00f067aa0ba902b7-${flags}`;
    const sentBy = async (sampler: string) => {
      receiver.spans.length = 0;
      const stop = await startTracing({
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_TRACES_SAMPLER: sampler,
        OTEL_TRACES_SAMPLER_ARG: '0.5',
      });
      const low = '1'.repeat(14);
      const high = 'e'.repeat(14);
      for (const [name, remote] of [
        ['low', parent(low, '00')],
        ['high', parent(high, '01')],
        ['broken', '00-0-0-01'],
      ] as const) {
        const span = tracer()?.start(name, { parent: remote });
        const within = span && tracer()?.within(span, () => tracer()?.traceparent());
        expect(within).toMatch(name === 'broken' ? /^00-[0-9a-f]{32}-/ : remote.slice(0, 36));
        span?.end();
      }
      await stop();
      return receiver.spans.map(({ name }) => name).filter((name) => name !== 'broken');
    };
    expect(await sentBy('traceidratio')).toEqual(['low']);
    expect(await sentBy('parentbased_traceidratio')).toEqual(['high']);
    expect(await sentBy('always_on')).toEqual(['low', 'high']);
    expect(await sentBy('always_off')).toEqual([]);
    receiver.stop();
  });

  it(
    'hold the request, its operation, statements, git programs and jobs, in the trace of the client',
    LONG,
    async () => {
      const receiver = await startReceiver();
      process.env.OTEL_EXPORTER_OTLP_ENDPOINT = receiver.url;
      const stop = await startTracing(process.env);
      const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
      const headers = {
        'PRIVATE-TOKEN': user.token,
        'Content-Type': 'application/json',
        traceparent: `00-${trace}-00f067aa0ba902b7-01`,
      };
      const api = `${world.url}/api/v4/projects/${project.id}`;
      const secret = 'what-nobody-traces';
      try {
        expect((await fetch(`${api}/issues?search=${secret}`, { headers })).status).toBe(200);
        const commit = {
          branch: 'main',
          commit_message: 'First',
          actions: [{ action: 'create', file_path: 'a', content: 'a' }],
        };
        const body = JSON.stringify(commit);
        expect((await fetch(`${api}/repository/commits`, { method: 'POST', headers, body })).status).toBe(201);
        const basic = `Basic ${Buffer.from(`${user.username}:${user.token}`).toString('base64')}`;
        const refs = `${world.url}/${project.fullPath}.git/info/refs?service=git-upload-pack`;
        const fetching = await fetch(refs, { headers: { Authorization: basic, traceparent: headers.traceparent } });
        expect(fetching.status).toBe(200);
        await fetching.arrayBuffer();
        expect((await fetch(api, { method: 'DELETE', headers })).status).toBe(202);
        await world.idle();
      } finally {
        await stop();
        delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
      }
      receiver.stop();
      expect(receiver.paths[0]).toBe('/v1/traces');
      const own = receiver.spans.filter(({ traceId }) => traceId === trace);
      const named = (name: string | RegExp) =>
        own.filter((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)));
      const [request] = named('GET /api/v4/projects/:id/issues');
      expect(request?.parentSpanId).toBe('00f067aa0ba902b7');
      const below = own.filter(({ parentSpanId }) => parentSpanId === request?.spanId).map(({ name }) => name);
      expect(below).toContain('GraphQL query');
      expect(named('SELECT').length).toBeGreaterThan(0);
      expect(named(/^git /).length).toBeGreaterThan(0);
      expect(named('job projects.remove')).toHaveLength(1);
      expect(JSON.stringify(receiver.spans)).not.toContain(secret);
      expect(JSON.stringify(receiver.spans)).not.toContain(user.token);
    },
  );
});
