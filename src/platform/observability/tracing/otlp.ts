import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Attributes, Span, SpanOptions, Tracer } from '#src/platform/observability/tracing/tracer.ts';
import { packageVersion } from '#src/platform/package_root.ts';
import { spanSender } from './send.ts';

/** The numbers of the protocol. */
const KINDS = { server: 2, client: 3, producer: 4, consumer: 5 };
const INTERNAL = 1;
const FAILED = 2;

/** What places a span in a trace; `sampled` says whether the trace is sent. */
interface Position {
  traceId: string;
  spanId: string;
  sampled: boolean;
}

/** Makes spans, and sends them by OTLP over HTTP in JSON as the variables of OpenTelemetry say. Throws Error for a wrong one. */
export function otlpTracer(env: NodeJS.ProcessEnv): { tracer: Tracer; stop(): Promise<void> } {
  const isSampled = samplerOf(env);
  const resource = { 'service.name': env.OTEL_SERVICE_NAME || 'gantry', 'service.version': packageVersion() };
  const sender = spanSender(env, (spans) => ({
    resourceSpans: [
      {
        resource: { attributes: listed(resource) },
        scopeSpans: [{ scope: { name: 'gantry', version: packageVersion() }, spans }],
      },
    ],
  }));
  const positions = new WeakMap<Span, Position>();
  const around = new AsyncLocalStorage<Position>();
  const tracer: Tracer = {
    start(name, { kind, attributes = {}, parent: remote }: SpanOptions = {}) {
      const parent = remote === undefined ? around.getStore() : parsePosition(remote);
      const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
      const position = { traceId, spanId: randomBytes(8).toString('hex'), sampled: isSampled(traceId, parent) };
      const started = performance.now();
      const record = {
        traceId,
        spanId: position.spanId,
        ...(parent && { parentSpanId: parent.spanId }),
        name,
        kind: kind ? KINDS[kind] : INTERNAL,
        startTimeUnixNano: nanoseconds(Date.now()),
        status: {},
      };
      const known = { ...attributes };
      const span: Span = {
        traceId,
        rename: (changed) => {
          record.name = changed;
        },
        set: (more) => void Object.assign(known, more),
        fail: (error) => {
          // The message of an error may quote what somebody sent; its name does not.
          record.status = { code: FAILED, message: error instanceof Error ? error.name : 'Error' };
        },
        end: () => {
          if (!position.sampled) return;
          const took = BigInt(Math.round((performance.now() - started) * 1e6));
          const endTimeUnixNano = String(BigInt(record.startTimeUnixNano) + took);
          sender.add({ ...record, endTimeUnixNano, attributes: listed(known) });
        },
      };
      positions.set(span, position);
      return span;
    },
    within(span, work) {
      const position = positions.get(span);
      return position ? around.run(position, work) : work();
    },
    traceparent() {
      const position = around.getStore();
      return position && `00-${position.traceId}-${position.spanId}-${position.sampled ? '01' : '00'}`;
    },
  };
  return { tracer, stop: sender.stop };
}

/** Of a traceparent (W3C Trace Context); the trace begins here where it is not well formed. */
function parsePosition(traceparent: string): Position | undefined {
  const [, traceId, spanId, flags] =
    /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(traceparent) ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

type Sampler = (traceId: string, parent: Position | undefined) => boolean;

function samplerOf({ OTEL_TRACES_SAMPLER: name = '', OTEL_TRACES_SAMPLER_ARG: share }: NodeJS.ProcessEnv): Sampler {
  const [, isParentBased, root] =
    /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name || 'parentbased_always_on') ?? [];
  if (root === undefined) throw new Error(`OTEL_TRACES_SAMPLER: "${name}" is not supported`);
  const ratio = root === 'traceidratio' ? Number(share || 1) : root === 'always_on' ? 1 : 0;
  if (!(ratio >= 0 && ratio <= 1)) throw new Error(`OTEL_TRACES_SAMPLER_ARG: "${share}" is not a number from 0 to 1`);
  // The last seven bytes are random in all trace IDs, so others that sample by them choose the same traces.
  const chosen = (traceId: string) => Number.parseInt(traceId.slice(-14), 16) < ratio * 2 ** 56;
  return (traceId, parent) => (isParentBased && parent ? parent.sampled : chosen(traceId));
}

function listed(attributes: Attributes): { key: string; value: object }[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
}

function nanoseconds(milliseconds: number): string {
  return String(BigInt(milliseconds) * 1_000_000n);
}
