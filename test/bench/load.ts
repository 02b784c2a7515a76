import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';

/** One request of a measurement. */
export interface Call {
  method?: 'GET' | 'POST' | 'PUT';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  /** Length of the body as it was transferred. */
  bytes: number;
}

export interface LoadOptions {
  url: string;
  /** The request number `n`, from 0. */
  call: (n: number) => Call;
  connections: number;
  milliseconds: number;
  /** At most so many requests. */
  count?: number;
}

export interface Load {
  /** Answers a second. */
  throughput: number;
  /** How many answers there were. */
  count: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/**
 * Keeps `connections` requests under way for the time.
 *
 * @throws Error at the first answer that is neither a success nor 304
 */
export async function generateLoad({
  url,
  call,
  connections,
  milliseconds,
  count = 200_000,
}: LoadOptions): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  const begun = performance.now();
  const deadline = begun + milliseconds;
  let next = 0;
  const worker = async () => {
    while (next < count && performance.now() < deadline) {
      const sent = performance.now();
      const wanted = call(next++);
      const answer = await send(url, wanted, agent);
      if (answer.status >= 300 && answer.status !== 304)
        throw new Error(`${wanted.path} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
      times.push(performance.now() - sent);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, worker));
  } finally {
    agent.destroy();
  }
  const elapsed = performance.now() - begun;
  times.sort((a, b) => a - b);
  return {
    throughput: (times.length / elapsed) * 1000,
    count: times.length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}

/** Sends one request and reads its answer to the end. */
export function send(url: string, { method = 'GET', path, headers, body }: Call, agent?: Agent): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const options: RequestOptions = { hostname, port, method, path, headers: { ...headers }, agent };
  if (body !== undefined) {
    options.headers = { ...headers, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  }
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(parts);
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, text: body.toString(), bytes: body.length });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The value below which that share of sorted numbers lies. */
export function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The middle of some numbers; of an even count the mean of the two in the middle. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[at] ?? Number.NaN)
    : ((sorted[at - 1] ?? Number.NaN) + (sorted[at] ?? Number.NaN)) / 2;
}
