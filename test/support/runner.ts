import { renewServerRegistrationToken } from '#src/domain/ci/runners/registration_tokens.ts';
import type { Json } from './http.ts';
import { SECRET, type World } from './world.ts';

/** What the server answers to a runner. */
export interface RunnerAnswer {
  status: number;
  body: Json;
  headers: Headers;
}

/** The header in which the queue value comes. */
export const LAST_UPDATE = 'x-gitlab-last-update';

/** What a runner of the era says of itself. */
export const INFO = {
  name: 'test-runner',
  version: '9.1.0',
  revision: '0123abcd',
  platform: 'linux',
  architecture: 'amd64',
  executor: 'shell',
  features: { variables: true, image: true, services: true, features: true, cache: true },
};

/** What a runner of today says that it can do, in addition. */
export const FEATURES = {
  ...INFO.features,
  refspecs: true,
  upload_multiple_artifacts: true,
  upload_raw_artifacts: true,
  artifacts_exclude: true,
  multi_build_steps: true,
  return_exit_code: true,
  fallback_cache_keys: true,
};

/** What such a runner says of itself. */
export const INFO_TODAY = { ...INFO, features: FEATURES };

/** Sends JSON to an endpoint of the protocol. */
export async function sendAsRunner(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<RunnerAnswer> {
  const type: Record<string, string> = typeof body === 'string' ? {} : { 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/api/v4${path}`, {
    method,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : parsed(text) };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A runner as the protocol describes it: it remembers the queue value, and sends it back. */
export class TestRunner {
  readonly url: string;
  readonly id: number;
  readonly token: string;
  #lastUpdate: string | undefined;
  /** What it says of itself when it asks for a job. */
  info: object = INFO_TODAY;
  /** How it calls its machine. */
  systemId: string | undefined;

  constructor(url: string, { id, token }: { id: number; token: string }) {
    this.url = url;
    this.id = id;
    this.token = token;
  }

  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<RunnerAnswer> {
    return sendAsRunner(this.url, method, path, body, headers);
  }

  /** Asks for a job; another server may be asked. */
  async request(url = this.url): Promise<RunnerAnswer> {
    const body = { token: this.token, info: this.info, last_update: this.#lastUpdate, system_id: this.systemId };
    const answer = await sendAsRunner(url, 'POST', '/jobs/request', body);
    this.#lastUpdate = answer.headers.get(LAST_UPDATE) ?? this.#lastUpdate;
    return answer;
  }

  /** Asks until there is a job. Throws Error when none comes. */
  async take(): Promise<Json> {
    for (let tries = 0; tries < 200; tries += 1) {
      const { status, body } = await this.request();
      if (status === 201) return body;
      if (status !== 204 && status !== 409) throw new Error(`${status} ${JSON.stringify(body)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('no job came');
  }

  /** Tells how a job stands. */
  update(job: { id: number; token: string }, state: string, more: Record<string, unknown> = {}): Promise<RunnerAnswer> {
    return this.send('PUT', `/jobs/${job.id}`, { token: job.token, state, info: INFO, ...more });
  }

  print(job: { id: number; token: string }, offset: number, text: string): Promise<RunnerAnswer> {
    const range = `${offset}-${offset + Buffer.byteLength(text)}`;
    return this.send('PATCH', `/jobs/${job.id}/trace`, text, {
      'Content-Type': 'text/plain',
      'Content-Range': range,
      'JOB-TOKEN': job.token,
    });
  }

  /** Runs every job that comes until there are no more; what their names were, in that order. */
  async runAll(end: (job: Json) => string = () => 'success'): Promise<string[]> {
    const names: string[] = [];
    for (;;) {
      // Else the server looks only if it has heard already that something came.
      this.#lastUpdate = undefined;
      const { status, body } = await this.request();
      if (status !== 201) return names;
      names.push(body.job_info.name);
      await this.update(body, end(body));
    }
  }
}

/** Another registration token for shared runners. */
export function sharedToken(world: World): Promise<string> {
  return renewServerRegistrationToken(world.db, SECRET);
}

/** The registration token of a project, as its master reads it. */
export async function projectToken(world: World, master: { token: string }, projectId: number): Promise<string> {
  const { body } = await world.api(master.token).get(`/projects/${projectId}`);
  return body.runners_token;
}

/** Registers a runner: a shared one unless the token of a project is given. */
export async function registerRunner(
  world: World,
  { token, ...values }: { token?: string } & Record<string, unknown> = {},
): Promise<TestRunner> {
  const body = { token: token ?? (await sharedToken(world)), description: 'a runner', info: INFO, ...values };
  const answer = await sendAsRunner(world.url, 'POST', '/runners', body);
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return new TestRunner(world.url, answer.body);
}
