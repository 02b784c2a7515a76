import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { methodOf, templateOf } from '#src/entrances/web/request_facts.ts';
import { type Logger, redactUrl } from '#src/platform/observability/log.ts';
import { requests, requestsUnderWay, sentBytes } from '#src/platform/observability/metrics/registry.ts';
import { type Span, tracer } from '#src/platform/observability/tracing/tracer.ts';

/**
 * Gives each request an ID (the client's `X-Request-Id` if valid), measures it, and writes a log line when its response has been
 * sent or aborted (docs/operating.md, Logs).
 */
export function requestLog(log?: Logger): RequestHandler {
  return (request, response, next) => {
    const begun = performance.now();
    const proposed = request.headers['x-request-id'];
    request.id = typeof proposed === 'string' && saneRequestId.test(proposed) ? proposed : randomUUID();
    response.setHeader('X-Request-Id', request.id);
    // A request releases its socket before its response has ended.
    const { socket } = request;
    const sentBefore = socket.bytesWritten;
    const traces = tracer();
    const span = traces?.start(methodOf(request), { kind: 'server', parent: traceparentOf(request) });
    requestsUnderWay.inc();
    response.once('close', () => {
      requestsUnderWay.dec();
      const answer = { ms: performance.now() - begun, bytes: socket.bytesWritten - sentBefore };
      tell(request, response, answer, span);
      if (log?.isLevelEnabled('info')) log.info(line(request, response, answer, span), 'request');
    });
    if (traces && span) traces.within(span, () => next());
    else next();
  };
}

/** Request IDs that clients may choose: nothing that could break a log line or a header. */
const saneRequestId = /^[A-Za-z0-9._-]{1,64}$/;

interface Answer {
  /** From the arrival of the request to the end of its response. */
  ms: number;
  /** Including headers. */
  bytes: number;
}

function line(request: Request, response: Response, { ms, bytes }: Answer, span: Span | undefined): object {
  return {
    id: request.id,
    method: request.method,
    route: templateOf(request),
    path: redactUrl(request.originalUrl),
    status: response.statusCode,
    ms: Math.round(ms * 10) / 10,
    bytes,
    user: request.callerId,
    operation: request.graphql?.operations.join(' ') || undefined,
    client: request.graphql?.client,
    trace: span?.traceId ?? traceparentOf(request)?.slice(3, 35),
    aborted: response.writableFinished ? undefined : true,
  };
}

function tell(request: Request, { statusCode }: Response, { ms, bytes }: Answer, span: Span | undefined): void {
  const [method, route] = [methodOf(request), templateOf(request)];
  requests.observe({ method, route, status: String(statusCode) }, ms / 1000);
  sentBytes.inc({ route }, Math.max(0, bytes));
  if (!span) return;
  span.rename(`${method} ${route}`);
  span.set({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': statusCode });
  if (statusCode >= 500) span.fail(new Error('answer'));
  span.end();
}

/** The trace context of the request (W3C Trace Context), if well-formed. */
function traceparentOf({ headers: { traceparent } }: Request): string | undefined {
  const isSane =
    typeof traceparent === 'string' && /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent);
  return isSane ? traceparent : undefined;
}
