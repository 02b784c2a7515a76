import {
  type Context,
  context,
  isSpanContextValid,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Span, SpanOptions, Tracer } from '#src/platform/observability/tracing/tracer.ts';
import { packageVersion } from '#src/platform/package_root.ts';

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** Milliseconds that a stopping process waits for a receiver to take its last spans. */
const STOPPING = 3_000;

/** Spans by OpenTelemetry, sent by OTLP over HTTP; the exporter and the sampler read their own variables. */
export function openTelemetry(env: NodeJS.ProcessEnv): { tracer: Tracer; stop(): Promise<void> } {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.name': env.OTEL_SERVICE_NAME || 'gantry',
      'service.version': packageVersion(),
    }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register({ propagator: new W3CTraceContextPropagator() });
  const tracer = provider.getTracer('gantry', packageVersion());
  const known = new WeakMap<Span, OtelSpan>();
  return {
    tracer: {
      start(name, { kind, attributes = {}, parent }: SpanOptions = {}) {
        const around = parent === undefined ? context.active() : parentContext(parent);
        const started = tracer.startSpan(name, { kind: kind ? KINDS[kind] : SpanKind.INTERNAL, attributes }, around);
        const span = wrap(started);
        known.set(span, started);
        return span;
      },
      within(span, work) {
        const started = known.get(span);
        return started ? context.with(trace.setSpan(context.active(), started), work) : work();
      },
      traceparent() {
        const about = trace.getSpanContext(context.active());
        if (!about || !isSpanContextValid(about)) return undefined;
        const flags = (about.traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0');
        return `00-${about.traceId}-${about.spanId}-${flags}`;
      },
    },
    async stop() {
      const late = new Promise((resolve) => setTimeout(resolve, STOPPING).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      trace.disable();
      context.disable();
    },
  };
}

/** What another process said is taken where it is well formed; else the trace begins here. */
function parentContext(traceparent: string): Context {
  const propagator = new W3CTraceContextPropagator();
  const getter = { keys: () => ['traceparent'], get: (carrier: { traceparent: string }) => carrier.traceparent };
  return propagator.extract(context.active(), { traceparent }, getter as never);
}

function wrap(span: OtelSpan): Span {
  return {
    traceId: span.spanContext().traceId,
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(attributes),
    fail(error) {
      // The message of an error may quote what somebody sent; its name does not.
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'Error' });
    },
    end: () => span.end(),
  };
}
