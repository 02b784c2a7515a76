// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const api = world.api();
const year = String(new Date().getUTCFullYear());

describe('GET /templates/licenses', () => {
  it('lists them by key for everybody, with placeholders', async () => {
    const { status, body, headers } = await api.get('/templates/licenses?per_page=100');
    expect(status).toBe(200);
    const keys = body.map(({ key }: { key: string }) => key);
    expect(keys).toEqual([...keys].sort());
    expect(keys).toEqual(expect.arrayContaining(['apache-2.0', 'gpl-3.0', 'lgpl-2.1', 'mit', 'unlicense']));
    expect(headers['x-total']).toBe(String(keys.length));
    const mit = body.find(({ key }: { key: string }) => key === 'mit');
    expect(mit).toEqual({
      key: 'mit',
      name: 'MIT License',
      nickname: null,
      popular: true,
      html_url: 'https://choosealicense.com/licenses/mit/',
      source_url: expect.stringMatching(/^https:\/\/opensource\.org\//),
      description: expect.any(String),
      conditions: ['include-copyright'],
      permissions: ['commercial-use', 'modifications', 'distribution', 'private-use'],
      limitations: ['no-liability'],
      content: expect.stringContaining('Copyright (c) <year> <copyright holders>'),
    });
  });

  it('are the popular ones with popular=true, and come in pages', async () => {
    const { body } = await api.get('/templates/licenses?popular=true');
    expect(body.map(({ key }: { key: string }) => key)).toEqual(['apache-2.0', 'gpl-3.0', 'mit']);
    const second = await api.get('/templates/licenses?popular=true&per_page=2&page=2');
    expect(second.body.map(({ key }: { key: string }) => key)).toEqual(['mit']);
    expect(second.headers['x-total-pages']).toBe('2');
  });
});

describe('GET /templates/licenses/:name', () => {
  const text = async (path: string, who?: Parameters<typeof world.api>[0]) =>
    (await world.api(who).get(`/templates/licenses/${path}`)).body.content as string;

  it('fills in year, name and project, also where they hold what patterns know', async () => {
    expect(await text('mit?fullname=Ann%20%24%26%20Co')).toContain(`Copyright (c) ${year} Ann $& Co`);
    expect(await text('APACHE-2.0?fullname=Ann')).toContain(`Copyright ${year} Ann`);
    expect(await text('isc?fullname=Ann')).toMatch(new RegExp(`^ISC License\n\nCopyright \\(c\\) ${year} Ann\n`));
    const gpl = await text('gpl-3.0?project=Hello%20World&fullname=Ann');
    expect(gpl).toContain(`Hello World  Copyright (C) ${year}  Ann`);
    expect(gpl).not.toMatch(/<year>|<name of author>|<program>|<one line/);
  });

  it('takes the name of who asks, and leaves the placeholder for nobody', async () => {
    const ann = await world.user();
    expect(await text('bsd-3-clause', ann)).toContain(`Copyright (c) ${year} Name of ${ann.username}`);
    expect(await text('bsd-3-clause')).toContain(`Copyright (c) ${year} <owner>`);
  });

  it('has a text without foreign owners for each license', async () => {
    const { body } = await api.get('/templates/licenses?per_page=100');
    for (const { key, content } of body) {
      expect(content.length, key).toBeGreaterThan(500);
      expect((await text(key)).length).toBeGreaterThan(500);
    }
    expect(await text('isc')).not.toMatch(/Internet (Systems|Software) Consortium|\bISC (DISCLAIMS|BE)\b/);
  });

  it('is 404 for unknown keys, and 400 for names that are too long', async () => {
    expect(await api.get('/templates/licenses/none')).toMatchObject({
      status: 404,
      body: { message: '404 License Not Found' },
    });
    expect((await api.get('/templates/licenses/..%2F..%2Fpackage')).status).toBe(404);
    expect(await api.get(`/templates/licenses/mit?fullname=${'x'.repeat(256)}`)).toMatchObject({
      status: 400,
      body: { message: { fullname: ['is too long (maximum is 255 characters)'] } },
    });
  });
});

describe.each([
  ['gitignores', 'gitignore', ['C++', 'Go', 'Java', 'Node', 'Python', 'Ruby', 'Rust'], 15],
  ['gitlab_ci_ymls', 'gitlab_ci_yml', ['Docker', 'Go', 'Nodejs', 'Python', 'Ruby'], 8],
  ['dockerfiles', 'dockerfile', ['HTTPd', 'Node', 'Python', 'Ruby'], 8],
])('GET /templates/%s', (kind, one, known, atLeast) => {
  it('lists names, each of which has a text', async () => {
    const { status, body } = await api.get(`/templates/${kind}?per_page=100`);
    expect(status).toBe(200);
    const names: string[] = body.map(({ name }: { name: string }) => name);
    expect(body[0]).toEqual({ name: names[0] });
    expect(names).toEqual(expect.arrayContaining(known));
    expect(names.length).toBeGreaterThanOrEqual(atLeast);
    for (const name of names) {
      const found = await api.get(`/templates/${kind}/${encodeURIComponent(name)}`);
      expect(found).toMatchObject({ status: 200, body: { name } });
      expect(found.body.content).toMatch(/\n$/);
    }
  });

  it('is 404 for an unknown name, and finds names in any case of letters', async () => {
    expect(await api.get(`/templates/${kind}/None`)).toMatchObject({
      status: 404,
      body: { message: `404 ${one} Not Found` },
    });
    expect((await api.get(`/templates/${kind}/gO`)).body.name).toBe('Go');
    expect((await api.get(`/templates/${kind}/..%2Fgitignores%2FGo`)).status).toBe(404);
  });
});

/** The jobs that each template makes for a push to the default branch, and for a tag. */
const JOBS: Record<string, { branch: string[]; tag?: string[] }> = {
  Android: { branch: ['lint', 'package', 'unit-tests'] },
  Bash: { branch: ['lint', 'test'] },
  'C++': { branch: ['build', 'test'] },
  Clojure: { branch: ['package', 'test'] },
  Composer: { branch: ['test'], tag: ['archive', 'test'] },
  Crystal: { branch: ['build', 'spec'] },
  Dart: { branch: ['analyze', 'test'] },
  Docker: { branch: ['build-master'], tag: ['build-branch'] },
  Elixir: { branch: ['format', 'test'] },
  Flutter: { branch: ['analyze', 'test'] },
  'Getting-Started': {
    branch: ['build-job', 'deploy-job', 'lint-job', 'unit-test-job'],
    tag: ['build-job', 'lint-job', 'unit-test-job'],
  },
  Go: { branch: ['build', 'test'] },
  Gradle: { branch: ['build', 'test'] },
  Grails: { branch: ['archive', 'test'] },
  Julia: { branch: ['test-current', 'test-oldest'] },
  LaTeX: { branch: ['build'] },
  Maven: { branch: ['test'], tag: ['package', 'test'] },
  Nodejs: { branch: ['build', 'test'] },
  PHP: { branch: ['test'] },
  Pages: { branch: ['pages'], tag: [] },
  Python: { branch: ['test'], tag: ['package', 'test'] },
  Rails: { branch: ['test'] },
  Ruby: { branch: ['style', 'test'] },
  Rust: { branch: ['lint', 'test'] },
  Scala: { branch: ['test'] },
  Swift: { branch: ['build', 'test'] },
  Terraform: { branch: ['apply', 'plan', 'validate'], tag: ['plan', 'validate'] },
  dotNET: { branch: ['build', 'publish', 'test'], tag: ['build', 'test'] },
};

describe('Templates of CI files', () => {
  it('are those of which the jobs are known, 21 at least', async () => {
    const { body } = await api.get('/templates/gitlab_ci_ymls?per_page=100');
    expect(body.map(({ name }: { name: string }) => name).sort()).toEqual(Object.keys(JOBS).sort());
    expect(body.length).toBeGreaterThanOrEqual(21);
  });

  it.each(Object.entries(JOBS))('%s passes the check without a warning, and makes its jobs', async (name, jobs) => {
    const owner = await world.user();
    const own = world.api(owner);
    const project = await world.project({ owner });
    const at = `/projects/${project.id}`;
    const { content } = (await own.get(`/templates/gitlab_ci_ymls/${encodeURIComponent(name)}`)).body;
    const linted = await own.post(`${at}/ci/lint`, { content });
    expect(linted.body).toMatchObject({ valid: true, errors: [], warnings: [] });
    const file = { branch: 'master', commit_message: 'Begin [skip ci]', content };
    expect((await own.post(`${at}/repository/files/.gitlab-ci.yml`, file)).status).toBe(201);
    expect((await own.post(`${at}/repository/tags`, { tag_name: 'v1', ref: 'master' })).status).toBe(201);
    for (const [ref, wanted] of Object.entries({ master: jobs.branch, v1: jobs.tag ?? jobs.branch })) {
      const { status, body } = await own.post(`${at}/pipeline`, { ref });
      if (wanted.length === 0) {
        expect([ref, status]).toEqual([ref, 400]);
        continue;
      }
      expect([ref, status]).toEqual([ref, 201]);
      const made = (await own.get(`${at}/pipelines/${body.id}/jobs`)).body;
      expect([ref, made.map((job: { name: string }) => job.name).sort()]).toEqual([ref, wanted]);
    }
  });
});
