import { dataOf } from './answer.ts';
import { GantryError } from './errors.ts';
import { readEvents } from './events.ts';

/** Milliseconds before the first attempt to connect again; each further one waits twice as long, up to MAX_RETRY_DELAY_MS. */
const MIN_RETRY_DELAY_MS = 1_000;
const MAX_RETRY_DELAY_MS = 30_000;

/** Statuses of a server that stops, starts or has too much to do. */
const TEMPORARY = new Set([429, 502, 503, 504]);

/**
 * The results of a subscription. A connection that is lost after it stood once is opened again and resumes after the last event.
 *
 * @param open sends the operation with these headers
 */
export async function* subscribeTo<Result>(
  open: (headers: Record<string, string>) => Promise<Response>,
  signal?: AbortSignal,
): AsyncGenerator<Result, void> {
  let last: string | undefined;
  let stood = false;
  let wait = MIN_RETRY_DELAY_MS;
  for (;;) {
    try {
      const response = await open(last === undefined ? {} : { 'Last-Event-ID': last });
      const { body, status } = response;
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      if (!isStream || body === null) {
        dataOf(status, await response.json().catch(() => undefined));
        // What is no stream will not become one: it is not asked for again.
        throw new GantryError(status, []);
      } else {
        stood = true;
        for await (const { id, event, data } of readEvents(body)) {
          if (event === 'complete') return;
          if (event !== 'next') continue;
          const result = dataOf<Result>(status, JSON.parse(data));
          last = id ?? last;
          wait = MIN_RETRY_DELAY_MS;
          yield result;
        }
      }
    } catch (error) {
      signal?.throwIfAborted();
      const isTemporary = !(error instanceof GantryError) || TEMPORARY.has(error.status);
      if (!stood || !isTemporary) throw error;
    }
    await sleep(wait, signal);
    wait = Math.min(wait * 2, MAX_RETRY_DELAY_MS);
  }
}

/** Waits; throws the reason when the signal aborts. */
function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
