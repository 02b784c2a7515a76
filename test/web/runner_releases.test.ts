// Each of its tests takes long.
// @module-tag long
import { spawn } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { registerRunner } from '../support/runner.ts';
import { startRunnerWorld } from '../support/runner_world.ts';

const { world, owner, api, projectWithJobs } = await startRunnerWorld();

/** Runs a line as the shell of a job does. */
async function run(line: string, directory: string, env: Record<string, string>): Promise<number> {
  const child = spawn('bash', ['-c', line], { cwd: directory, env: { PATH: process.env.PATH ?? '', ...env } });
  const [code] = await once(child, 'close');
  return code;
}

describe('A job with a release', () => {
  const CONFIG = `
ship:
  script: x
  after_script: y
  release:
    tag_name: v-$NUMBER
    ref: master
    name: 'The "$NUMBER" of \`all\` $(false)'
    description: notes.md
    tag_message: Tagged
    milestones: [First]
    released_at: '2026-01-02T03:04:05Z'
    assets:
      links:
      - {name: one & all, url: 'https://example.org/a?b=c&d=$NUMBER', link_type: package}
      - {name: two, url: 'https://example.org/two', filepath: /bin/two}
`;

  it('makes it after its script by a step of its own, which fails if there is one already', async () => {
    const { project } = await projectWithJobs(CONFIG);
    await world.milestone(project, owner, { title: 'First' });
    const runner = await registerRunner(world);
    const { steps, token } = await runner.take();
    expect(steps.map(({ name, when }: Json) => [name, when])).toEqual([
      ['script', 'on_success'],
      ['release', 'on_success'],
      ['after_script', 'always'],
    ]);
    const directory = mkdtempSync(path.join(tmpdir(), 'gantry-release-'));
    writeFileSync(path.join(directory, 'notes.md'), '**New** & "old" things\n');
    const env = { CI_JOB_TOKEN: token, NUMBER: '1' };
    const [line] = steps[1].script;
    expect(await run(line, directory, { ...env, CI_JOB_TOKEN: 'wrong' })).not.toBe(0);
    expect(await world.db.release.count({ where: { projectId: project.id } })).toBe(0);
    expect(await run(line, directory, env)).toBe(0);
    const { body } = await api.get(`/projects/${project.id}/releases/v-1`);
    expect(body).toMatchObject({
      tag_name: 'v-1',
      name: 'The "1" of `all` $(false)',
      description: '**New** & "old" things',
      released_at: '2026-01-02T03:04:05.000Z',
      milestones: [{ title: 'First' }],
      author: { username: owner.username },
    });
    expect(body.assets.links.toReversed()).toMatchObject([
      { name: 'one & all', url: 'https://example.org/a?b=c&d=1', link_type: 'package' },
      { name: 'two', url: 'https://example.org/two', link_type: 'other' },
    ]);
    expect(await run(line, directory, env)).not.toBe(0);
  });
});

describe('A job with id_tokens', () => {
  const CONFIG = `
variables: {WHERE: vault}
prove:
  script: x
  environment: {name: live}
  id_tokens:
    ONE: {aud: https://$WHERE.example.org}
    TWO: {aud: [a, b]}
`;

  it('gets tokens that others can verify by the published keys, and that say what it is', async () => {
    const { project, sha } = await projectWithJobs(CONFIG);
    const runner = await registerRunner(world);
    const payload = await runner.take();
    const find = (key: string) => payload.variables.find((one: Json) => one.key === key);
    expect(find('ONE')).toMatchObject({ public: false, masked: true, file: false });
    const metadata = (await world.send('GET', '/.well-known/openid-configuration')).body;
    const keys = (await world.send('GET', new URL(metadata.jwks_uri).pathname)).body.keys;
    const read = (token: string) => {
      const [header = '', claims = '', signature = ''] = token.split('.');
      const { kid, alg } = JSON.parse(Buffer.from(header, 'base64url').toString());
      const key = keys.find((one: Json) => one.kid === kid);
      const publicKey = createPublicKey({ key, format: 'jwk' });
      const isGenuine = (text: string) =>
        verify('sha256', Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
      expect([alg, isGenuine(`${header}.${claims}`), isGenuine(`${header}.${claims}x`)]).toEqual([
        'RS256',
        true,
        false,
      ]);
      return JSON.parse(Buffer.from(claims, 'base64url').toString());
    };
    const [one, two] = [read(find('ONE').value), read(find('TWO').value)];
    const now = Date.now() / 1_000;
    expect(one).toMatchObject({
      iss: metadata.issuer,
      aud: 'https://vault.example.org',
      sub: `project_path:${project.fullPath}:ref_type:branch:ref:master`,
      ...{ project_id: String(project.id), project_path: project.fullPath, namespace_id: String(project.namespaceId) },
      ...{ user_id: String(owner.id), user_login: owner.username, job_id: String(payload.id), sha },
      ...{ ref: 'master', ref_type: 'branch', ref_path: 'refs/heads/master', ref_protected: 'true' },
      ...{ pipeline_source: 'push', runner_environment: 'self-hosted', environment: 'live' },
    });
    expect(one.exp).toBeGreaterThan(now);
    expect(one.exp).toBeLessThanOrEqual(now + 7_200);
    expect(one.iat).toBeLessThanOrEqual(now + 1);
    expect(two.aud).toEqual(['a', 'b']);
    expect(two.jti).not.toBe(one.jti);
  });
});
