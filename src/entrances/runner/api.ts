import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { withoutTrailingSlashes } from '#src/base/text.ts';
import { findEngine } from '#src/entrances/runner/containers.ts';
import type { JobPayload } from '#src/entrances/runner/payload.ts';
import { packageRevision, packageVersion } from '#src/platform/package_root.ts';

/** Milliseconds for one request, apart from files. */
const REQUEST_TIMEOUT = 60_000;
/** Milliseconds for transferring a file. */
const FILE_TIMEOUT = 60 * 60_000;
/** Milliseconds before the first and between later attempts, and for how long to retry. */
const RETRY = { first: 500, longest: 10_000, patience: 10 * 60_000 };

/** The server rejected the request; retrying would not help. */
export class Refused extends Error {
  readonly status: number;

  constructor(what: string, status: number) {
    super(`The server refused ${what} with status ${status}.`);
    this.status = status;
  }
}

/** The job was canceled or has ended on the server. */
export class JobGone extends Error {}

/** The server's response to a request for a job. */
export type JobAnswer = { job: JobPayload } | { job: null; lastUpdate: string | undefined };

/** What the server has of a log, and what it says of the job. */
export interface Appended {
  /** In bytes. */
  size: number;
  isCanceling: boolean;
}

/** How a job ended. */
export interface JobResult {
  state: 'success' | 'failed';
  reason?: string;
  /** Of its script. */
  exitCode?: number;
}

/** A client for the runner protocol (runner-protocol.md). */
export class RunnerApi {
  readonly #base: string;

  /** @param url of the server */
  constructor(url: string) {
    this.#base = `${withoutTrailingSlashes(url)}/api/v4`;
  }

  /** Registers a runner; returns its ID and token. Throws Refused. */
  async register(registrationToken: string, values: object): Promise<{ id: number; token: string }> {
    const answer = await this.#json('POST', '/runners', { token: registrationToken, ...values, info: info() });
    if (answer.status !== 201) throw new Refused('to register the runner', answer.status);
    return (await answer.json()) as { id: number; token: string };
  }

  /** Removes the runner with this token. Throws Refused. */
  async unregister(token: string): Promise<void> {
    const answer = await this.#json('DELETE', '/runners', { token });
    if (answer.status !== 204) throw new Refused('to remove the runner', answer.status);
  }

  /** Requests a job, once. Throws Refused for an unknown token, and Error if the server does not answer. */
  async request(token: string, lastUpdate: string | undefined): Promise<JobAnswer> {
    const body = { token, info: info(), ...(lastUpdate === undefined ? {} : { last_update: lastUpdate }) };
    const answer = await this.#json('POST', '/jobs/request', body);
    if (answer.status === 201) return { job: (await answer.json()) as JobPayload };
    await answer.body?.cancel();
    if (answer.status === 403) throw new Refused('the token of the runner', 403);
    if (answer.status === 204)
      return { job: null, lastUpdate: answer.headers.get('x-gitlab-last-update') ?? undefined };
    if (answer.status === 409) return { job: null, lastUpdate: undefined };
    throw new Error(`the server answered with status ${answer.status}`);
  }

  /**
   * Sends a chunk of the job log; returns how many bytes the server has, which is where the next chunk begins, and whether the job is
   * canceled and may still be ended in order. Throws JobGone,
   * and Error if the server does not answer.
   */
  async appendTrace({ id, token }: JobPayload, offset: number, piece: Uint8Array<ArrayBuffer>): Promise<Appended> {
    const answer = await this.#send('PATCH', `/jobs/${id}/trace`, {
      headers: {
        'JOB-TOKEN': token,
        'Content-Type': 'text/plain',
        'Content-Range': `${offset}-${offset + piece.length}`,
      },
      body: piece,
    });
    requireAlive(answer);
    if (answer.status !== 202 && answer.status !== 416)
      throw new Error(`the server answered with status ${answer.status}`);
    return {
      size: Number(/^0-(\d+)$/.exec(answer.headers.get('range') ?? '')?.[1] ?? offset + piece.length),
      isCanceling: answer.headers.get('job-status') === 'canceling',
    };
  }

  /** Reports how a job ended, retrying for as long as that takes. Throws JobGone, Refused. */
  async finish({ id, token }: JobPayload, outcome: JobResult): Promise<void> {
    const { state, reason, exitCode } = outcome;
    const body = {
      token,
      state,
      ...(reason === undefined ? {} : { failure_reason: reason }),
      ...(exitCode === undefined ? {} : { exit_code: exitCode }),
      info: info(),
    };
    const answer = await patiently(() => this.#json('PUT', `/jobs/${id}`, body));
    requireAlive(answer);
    if (answer.status !== 200) throw new Refused('the end of the job', answer.status);
  }

  /** Uploads artifacts. Throws JobGone, Refused. */
  async uploadArtifacts(
    job: JobPayload,
    upload: { size: number; query: Readonly<Record<string, string>>; form(): FormBody },
  ): Promise<void> {
    const { id, token } = job;
    const headers = { 'JOB-TOKEN': token };
    // Asked in advance, as a rejection in the middle of an upload may be lost.
    const permission = await patiently(() =>
      this.#send('POST', `/jobs/${id}/artifacts/authorize?filesize=${upload.size}`, { headers }),
    );
    requireAlive(permission);
    if (permission.status !== 200) throw new Refused('the artifacts', permission.status);
    const query = new URLSearchParams(upload.query).toString();
    const answer = await patiently(() => {
      const { type, body } = upload.form();
      const options = { headers: { ...headers, 'Content-Type': type }, body, timeout: FILE_TIMEOUT };
      return this.#send('POST', `/jobs/${id}/artifacts${query === '' ? '' : `?${query}`}`, options);
    });
    requireAlive(answer);
    if (answer.status !== 201) throw new Refused('the artifacts', answer.status);
  }

  /** Downloads the artifacts of a job that another one depends on. Throws Refused. */
  async downloadArtifacts(id: number, token: string): Promise<AsyncIterable<Uint8Array>> {
    const answer = await patiently(() =>
      this.#send('GET', `/jobs/${id}/artifacts`, { headers: { 'JOB-TOKEN': token }, timeout: FILE_TIMEOUT }),
    );
    if (answer.status !== 200 || !answer.body) throw new Refused('the download of artifacts', answer.status);
    return answer.body;
  }

  #json(method: string, path: string, body: object): Promise<Response> {
    const headers = { 'Content-Type': 'application/json' };
    return this.#send(method, path, { headers, body: JSON.stringify(body) });
  }

  #send(method: string, path: string, { headers, body, timeout = REQUEST_TIMEOUT }: Sending): Promise<Response> {
    return fetch(this.#base + path, {
      method,
      headers,
      signal: AbortSignal.timeout(timeout),
      // A redirect could send tokens to another server.
      redirect: 'error',
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    });
  }
}

/** A multipart body. */
export interface FormBody {
  /** Content type with its boundary. */
  type: string;
  body: ReadableStream<Uint8Array>;
}

interface Sending {
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  timeout?: number;
}

/** Retries while the server does not answer or is unavailable. Throws what the last attempt threw. */
async function patiently(attempt: () => Promise<Response>): Promise<Response> {
  const patience = performance.now() + RETRY.patience;
  for (let pause = RETRY.first; ; pause = Math.min(pause * 2, RETRY.longest)) {
    const isLast = performance.now() > patience;
    const answer = await attempt().catch((error) => {
      if (isLast) throw error;
      return null;
    });
    if (answer && (isLast || !(answer.status === 429 || answer.status >= 500))) return answer;
    await answer?.body?.cancel();
    await sleep(pause);
  }
}

/** Throws JobGone if the server says that the job is over. */
function requireAlive(answer: Response): void {
  const status = answer.headers.get('job-status') ?? '';
  const isOver = ['canceled', 'failed', 'success'].includes(status) && answer.status !== 200;
  if (isOver || answer.status === 404 || answer.status === 403) {
    throw new JobGone(`The job is over on the server${status === '' ? '' : ` (${status})`}.`);
  }
}

let hasContainers: boolean | undefined;

/** This runner's description of itself. */
function info(): object {
  hasContainers ??= findEngine() !== null;
  const hasEngine = hasContainers;
  return {
    name: 'gantry-runner',
    version: packageVersion(),
    revision: packageRevision(),
    platform: process.platform,
    architecture: process.arch,
    executor: hasEngine ? 'docker' : 'shell',
    hostname: hostname(),
    features: {
      variables: true,
      raw_variables: true,
      masking: true,
      artifacts: true,
      artifacts_exclude: true,
      upload_multiple_artifacts: true,
      upload_raw_artifacts: true,
      cache: true,
      fallback_cache_keys: true,
      refspecs: true,
      return_exit_code: true,
      multi_build_steps: true,
      image: hasEngine,
      services: hasEngine,
      cancel_gracefully: true,
    },
  };
}
