import { otlpTracer } from '#src/platform/observability/tracing/otlp.ts';
import { useTracer } from '#src/platform/observability/tracing/tracer.ts';

/** Whether the variables of OpenTelemetry ask for traces: an address to send them to, or an exporter by name. */
export function wantsTraces(env: NodeJS.ProcessEnv): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  const exporters = env.OTEL_TRACES_EXPORTER?.split(',').map((name) => name.trim()) ?? [];
  if (exporters.length > 0) return exporters.includes('otlp');
  return Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT);
}

/**
 * Begins to make traces where the environment asks for them.
 *
 * @returns sends what has not been sent, and ends it
 * @throws Error for a variable that is wrong, or asks for what is not supported
 */
export async function startTracing(env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  if (!wantsTraces(env)) return async () => undefined;
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/json';
  if (protocol !== 'http/json') {
    throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL: "${protocol}" is not supported; set it to http/json`);
  }
  const { tracer, stop } = otlpTracer(env);
  useTracer(tracer);
  return async () => {
    useTracer(null);
    await stop();
  };
}
