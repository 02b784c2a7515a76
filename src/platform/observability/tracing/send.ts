import querystring from 'node:querystring';
import { withoutTrailingSlashes } from '#src/base/text.ts';

/** How many spans are kept at most while the receiver is slow or away, and are sent at once; later ones are dropped. */
const MAX_BUFFERED_SPANS = 2048;
const BATCH_SIZE = 512;

/** Milliseconds until spans are sent, and that a stopping process waits for a receiver to take its last ones. */
const DELAY = 5_000;
const STOPPING = 3_000;

/** Milliseconds for a request, unless OTEL_EXPORTER_OTLP_TIMEOUT says otherwise. */
const TIMEOUT = 10_000;

/**
 * Sends spans to the receiver that the variables of OpenTelemetry name, some at a time and again after a while where it is
 * away or busy.
 *
 * @param wrap makes the body of a request of spans
 */
export function spanSender(
  env: NodeJS.ProcessEnv,
  wrap: (spans: object[]) => object,
): { add(span: object): void; stop(): Promise<void> } {
  const url = addressOf(env);
  const headers = { ...headersOf(env), 'content-type': 'application/json' };
  const timeout = Number(env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT || env.OTEL_EXPORTER_OTLP_TIMEOUT) || TIMEOUT;
  const kept: object[] = [];
  let sending: Promise<void> | undefined;

  const sendAll = async () => {
    while (kept.length > 0) {
      const spans = kept.slice(0, BATCH_SIZE);
      const body = JSON.stringify(wrap(spans));
      const signal = AbortSignal.timeout(timeout);
      const response = await fetch(url, { method: 'POST', headers, body, signal }).catch(() => null);
      await response?.arrayBuffer().catch(() => undefined);
      if (!response || [429, 502, 503, 504].includes(response.status)) return;
      // What the receiver refuses, it refuses again.
      kept.splice(0, spans.length);
    }
  };
  const send = () => {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  };
  const timer = setInterval(send, DELAY).unref();
  return {
    add(span) {
      if (kept.length >= MAX_BUFFERED_SPANS) return;
      kept.push(span);
      if (kept.length % BATCH_SIZE === 0) void send();
    },
    async stop() {
      clearInterval(timer);
      const late = new Promise((resolve) => setTimeout(resolve, STOPPING).unref());
      await Promise.race([send().then(send), late]);
    },
  };
}

function addressOf(env: NodeJS.ProcessEnv): URL {
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const name = own ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT || 'http://localhost:4318';
  const url = URL.parse(own || `${withoutTrailingSlashes(base)}/v1/traces`);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`${name}: is not an http(s) URL`);
  return url;
}

/** Of `name=value` pairs with commas between them, percent-encoded. */
function headersOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const pairs = `${env.OTEL_EXPORTER_OTLP_HEADERS ?? ''},${env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? ''}`.split(',');
  return Object.fromEntries(
    pairs.flatMap((pair) => {
      const [, name, value = ''] = /^\s*([^=\s]+)\s*=(.*)$/.exec(pair) ?? [];
      return name ? [[name.toLowerCase(), querystring.unescape(value.trim())]] : [];
    }),
  );
}
