import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientPackage } from '../support/client_package.ts';
import type { Json } from '../support/http.ts';
import { printed, type ServerProcess, scratchDirectory, settings, startServer } from '../support/server_process.ts';

const scratch = scratchDirectory();
const client = new ClientPackage('unleash_client');
let server: ServerProcess;
let project: { id: number; path_with_namespace: string };

async function api(method: string, at: string, body?: object): Promise<Json> {
  const headers = {
    'Content-Type': 'application/json',
    'PRIVATE-TOKEN': printed(server.output(), 'Private token') ?? '',
  };
  const answer = await fetch(`${server.url}${at}`, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${at}: ${answer.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}

const flags = () => `/api/v4/projects/${project.id}/feature_flags`;

/** A program with the client, in an environment. */
class Application {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;
  readonly #said: Json[] = [];

  constructor(environment: string, url: string, instanceId: string) {
    const directory = path.join(scratch.directory, environment);
    mkdirSync(directory, { recursive: true });
    const program = path.join(client.directory, 'program.js');
    this.#process = spawn(process.execPath, [program, url, instanceId, environment, directory]);
    this.#lines = createInterface({ input: this.#process.stdout });
    this.#lines.on('line', (line) => this.#said.push(JSON.parse(line)));
  }

  /** Whatever it says next of which this is true. */
  async said(isIt: (said: Json) => boolean): Promise<Json> {
    for (;;) {
      const at = this.#said.findIndex(isIt);
      if (at >= 0) return this.#said.splice(0, at + 1).at(-1);
      await once(this.#lines, 'line');
    }
  }

  hears(event: string): Promise<Json> {
    return this.said((said) => said.event === event);
  }

  /** Whether a flag is on for somebody; null for one that it does not know. */
  async asks(flag: string, context: object = {}): Promise<boolean | null> {
    this.#process.stdin.write(`${JSON.stringify({ flag, context })}\n`);
    const { on, known } = await this.said((said) => said.flag === flag);
    return known ? on : null;
  }

  async ends(): Promise<void> {
    this.#process.stdin.end();
    await once(this.#process, 'exit');
  }
}

beforeAll(async () => {
  await client.install();
  server = await startServer(settings(path.join(scratch.directory, 'data')), ['--ephemeral']);
  project = await api('POST', '/api/v4/projects', { name: 'Shop' });
}, 480_000);

afterAll(async () => {
  await server.end('SIGTERM');
  scratch.remove();
});

describe('unleash-client', () => {
  it('reads the flags of its environment, follows changes, sends metrics, and is refused after a reset', {
    timeout: 300_000,
  }, async () => {
    const { id: list } = await api('POST', `${flags()}_user_lists`, { name: 'Testers', user_xids: 'ada,ben' });
    const strategy = (name: string, parameters: object, environment: string) => ({
      ...{ name, parameters },
      scopes: [{ environment_scope: environment }],
    });
    const rollout = (percent: string) => ({ groupId: 'default', rollout: percent, stickiness: 'userId' });
    await api('POST', flags(), {
      name: 'search',
      strategies: [
        strategy('default', {}, 'staging'),
        strategy('userWithId', { userIds: '7' }, 'production'),
        { ...strategy('gitlabUserList', {}, 'production'), user_list_id: list },
      ],
    });
    await api('POST', flags(), { name: 'half', strategies: [strategy('flexibleRollout', rollout('50'), '*')] });
    await api('POST', flags(), { name: 'hidden', active: false, strategies: [strategy('default', {}, '*')] });
    await api('POST', flags(), { name: 'elsewhere', strategies: [strategy('default', {}, 'review/*')] });
    const query = `{ project(ref: "${project.id}") { featureFlagsClient { url instanceId } } }`;
    const { url, instanceId } = (await api('POST', '/graphql', { query })).data.project.featureFlagsClient;

    const [production, staging] = [
      new Application('production', url, instanceId),
      new Application('staging', url, instanceId),
    ];
    for (const one of [production, staging]) await one.hears('synchronized');
    expect(await staging.asks('search')).toBe(true);
    expect(await production.asks('search')).toBe(false);
    for (const [userId, isOn] of [
      ['7', true],
      ['ada', true],
      ['cleo', false],
    ] as const) {
      expect([userId, await production.asks('search', { userId })]).toEqual([userId, isOn]);
    }
    expect(await production.asks('hidden')).toBe(false);
    expect(await production.asks('elsewhere', { userId: '7' })).toBe(null);
    const users = Array.from({ length: 200 }, (_, index) => String(index));
    let count = 0;
    for (const userId of users) if (await production.asks('half', { userId })) count += 1;
    expect(count).toBeGreaterThan(60);
    expect(count).toBeLessThan(140);

    await production.hears('unchanged');
    await api('PUT', `${flags()}_user_lists/1`, { user_xids: 'cleo' });
    await production.hears('changed');
    expect(await production.asks('search', { userId: 'cleo' })).toBe(true);
    expect(await production.asks('search', { userId: 'ada' })).toBe(false);
    await api('PUT', `${flags()}/hidden`, { active: true });
    await production.hears('changed');
    expect(await production.asks('hidden')).toBe(true);
    await production.hears('sent');
    await staging.ends();

    await api('POST', '/graphql', {
      query: `mutation { resetFeatureFlagsInstanceId(input: { project: "${project.id}" }) { featureFlagsClient { url } } }`,
    });
    expect((await production.hears('error')).message).toContain('401');
    // It goes on with what it read last.
    expect(await production.asks('hidden')).toBe(true);
    await production.ends();
  });
});
