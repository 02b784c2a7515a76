/** The attributes of a span. They contain no values of statements or requests. */
export type Attributes = Record<string, string | number | boolean>;

/** One piece of work in a trace. */
export interface Span {
  /** Of the trace, in hexadecimal. */
  readonly traceId: string;
  rename(name: string): void;
  set(attributes: Attributes): void;
  fail(error: unknown): void;
  end(): void;
}

export interface SpanOptions {
  /** The part that this process has in it; its own business when absent. */
  kind?: 'server' | 'client' | 'producer' | 'consumer';
  attributes?: Attributes;
  /** What another process said of the trace (W3C traceparent); what goes on here when absent. */
  parent?: string | undefined;
}

/** Makes spans. There is one only while traces are wanted (docs/operating.md, Traces). */
export interface Tracer {
  start(name: string, options?: SpanOptions): Span;
  /** Does work to which all spans that it starts belong. */
  within<T>(span: Span, work: () => T): T;
  /** The current trace for other processes (W3C traceparent); undefined outside of any trace. */
  traceparent(): string | undefined;
}

let current: Tracer | null = null;

/** The tracer, or null where no traces are wanted: callers do nothing then. */
export function tracer(): Tracer | null {
  return current;
}

/** Sets the tracer for the whole process. */
export function useTracer(wanted: Tracer | null): void {
  current = wanted;
}

/** Does work as a span of its own; as it is where no traces are wanted. */
export async function traced<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  if (!current) return work();
  const span = current.start(name, options);
  try {
    return await current.within(span, work);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}
