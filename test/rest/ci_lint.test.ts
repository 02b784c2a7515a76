import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadYaml } from '#src/domain/ci/pipelines/config/yaml/load.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { projectWithCommit } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { commitTo } from '../support/merge_requests.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const reporter = await world.user();
const guest = await world.user();
const stranger = await world.user();
let project: ProjectRow;
let at: string;

const CONFIG = `
include: shared.yml
variables: { A: file }
unit:
  extends: .base
  script: [one, "two: three"]
ship:
  stage: deploy
  script: [ship]
  environment: live
  when: manual
  needs: [unit]
  rules: [{ if: '$A == "project"' }]
`;
const SHARED = '.base: { tags: [t], before_script: [prepare] }\nshared: { script: x, only: [tags] }';

beforeAll(async () => {
  ({ project } = await projectWithCommit(world, owner, { config: CONFIG }));
  await commitTo(world, project, owner, 'master', 'shared.yml', SHARED);
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  at = `/projects/${project.id}/ci/lint`;
  await world.api(owner).post(`/projects/${project.id}/variables`, { key: 'A', value: 'project' });
});

describe('GET /projects/:id/ci/lint', () => {
  it('checks the committed file, and shows it in one piece', async () => {
    const { status, body } = await world.api(developer).get(`${at}?include_jobs=true`);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['valid', 'errors', 'warnings', 'merged_yaml', 'includes', 'jobs']);
    expect(body).toMatchObject({
      valid: true,
      errors: [],
      warnings: [],
      includes: [{ type: 'local', location: 'shared.yml', context_project: project.fullPath }],
    });
    expect(body.jobs).toEqual([
      {
        name: 'shared',
        stage: 'test',
        before_script: [],
        script: ['x'],
        after_script: [],
        tag_list: [],
        only: { refs: ['tags'] },
        except: null,
        environment: null,
        when: 'on_success',
        allow_failure: false,
        needs: [],
      },
      expect.objectContaining({
        name: 'unit',
        tag_list: ['t'],
        before_script: ['prepare'],
        script: ['one', 'two: three'],
      }),
      expect.objectContaining({ name: 'ship', environment: 'live', when: 'manual', needs: ['unit'] }),
    ]);
    expect(body.merged_yaml.startsWith('---\n')).toBe(true);
    expect(loadYaml(body.merged_yaml)).toMatchObject({
      variables: { A: 'file' },
      unit: { tags: ['t'], before_script: ['prepare'], script: ['one', 'two: three'] },
      shared: { script: 'x' },
    });
    expect((await world.api(developer).get(at)).body).not.toHaveProperty('jobs');
  });

  it('says which jobs a push would have', async () => {
    const names = async (who: typeof owner) =>
      (await world.api(who).get(`${at}?dry_run=true&include_jobs=true`)).body.jobs.map(
        ({ name }: { name: string }) => name,
      );
    expect(await names(developer)).toEqual(['unit', 'ship']);
    // Others do not learn what the variables of the project are.
    expect(await names(reporter)).toEqual(['unit']);
  });

  it('reads another commit, and says what is wrong there', LONG, async () => {
    const sha = await commitTo(world, project, owner, 'master', 'shared.yml', '- x');
    expect((await world.api(reporter).get(`${at}?content_ref=${sha}`)).body).toMatchObject({
      valid: false,
      errors: ['Included file `shared.yml` does not have valid YAML syntax!'],
      merged_yaml: null,
    });
    await commitTo(world, project, owner, 'master', 'shared.yml', SHARED);
    expect((await world.api(reporter).get(`${at}?sha=${sha}`)).body.valid).toBe(false);
    expect(await world.api(reporter).get(`${at}?content_ref=nowhere`)).toMatchObject({
      status: 404,
      body: { message: '404 Commit Not Found' },
    });
    const { project: bare } = await projectWithCommit(world, owner);
    expect((await world.api(owner).get(`/projects/${bare.id}/ci/lint`)).body.errors).toEqual([
      'Please provide content of .gitlab-ci.yml',
    ]);
  });

  it('is for those who may read the code', async () => {
    const statuses = await Promise.all(
      [guest, stranger, undefined].map(async (who) => (await world.api(who).get(at)).status),
    );
    expect(statuses).toEqual([403, 404, 404]);
  });
});

describe('POST /projects/:id/ci/lint', () => {
  it('checks a text with what it includes from the project', async () => {
    const content = 'include: shared.yml\nunit: {extends: .base, script: x}\nship: {script: y, secrets: {}}';
    const { status, body } = await world.api(developer).post(at, { content, include_jobs: true });
    expect([status, body.valid, body.jobs.length]).toEqual([200, true, 3]);
    expect(body.warnings).toEqual(['jobs:ship secrets: ignored, as it is not supported']);
    const wrong = await world.api(developer).post(at, { content: 'include: none.yml\nunit: {script: x}' });
    expect(wrong).toMatchObject({
      status: 200,
      body: { valid: false, errors: ['Local file `none.yml` does not exist!'] },
    });
    const filtered = 'workflow: {rules: [{if: $NO}]}\nunit: {script: x}';
    const dry = await world.api(developer).post(at, { content: filtered, dry_run: true, include_jobs: true });
    expect(dry.body).toMatchObject({ valid: true, jobs: [] });
  });

  it('names the variables that are not set in the rules of what a push would leave out', async () => {
    const content = `
unit: {script: x}
ship: {script: x, rules: [{if: $SHIPS == "yes" && $CI_COMMIT_TAG}, {if: $CI_COMIT_BRANCH}]}
old: {script: x, only: {variables: [$OLD]}}
some: {script: x, rules: [{changes: ["$FOLDER/*"], when: never}, {when: never}]}
there: {script: x, rules: [{if: $NOT_SET == null}]}
tagged: {script: x, rules: [{if: $CI_COMMIT_TAG}]}
`;
    const ask = async (more: object) => (await world.api(developer).post(at, { content, ...more })).body.warnings;
    const told = 'left it out, and these variables in them are not set:';
    expect(await ask({ dry_run: true })).toEqual([
      `jobs:ship:rules ${told} $SHIPS, $CI_COMIT_BRANCH`,
      `jobs:old:only ${told} $OLD`,
      `jobs:some:rules ${told} $FOLDER`,
    ]);
    expect(await ask({})).toEqual([]);
    const filtered = { content: `workflow: {rules: [{if: $NOBODY}]}${content}`, dry_run: true };
    expect(await ask(filtered)).toEqual([`workflow:rules ${told} $NOBODY`]);
  });

  it('is for developers, who alone use its variables', async () => {
    const content = 'a: {script: x}';
    const statuses = await Promise.all(
      [reporter, guest, stranger, undefined].map(async (who) => (await world.api(who).post(at, { content })).status),
    );
    expect(statuses).toEqual([403, 403, 404, 401]);
    expect((await world.api(developer).post(at, {})).status).toBe(400);
  });
});

describe('POST /ci/lint', () => {
  it('shows the text in one piece and its jobs to those who ask for that, without a project to include from', async () => {
    const content = '.base: {script: x}\nunit: {extends: .base}';
    const { body } = await world.api().post('/ci/lint', { content, include_merged_yaml: true, include_jobs: true });
    expect(body).toMatchObject({ status: 'valid', jobs: [{ name: 'unit', script: ['x'] }] });
    expect(loadYaml(body.merged_yaml)).toMatchObject({ unit: { script: 'x' } });
    const { body: wrong } = await world.api().post('/ci/lint', { content: `include: shared.yml\n${content}` });
    expect(wrong.errors).toEqual(['Local file `shared.yml` does not exist!']);
    const remote = `include: {remote: "https://host.invalid/a.yml"}\n${content}`;
    expect((await world.api().post('/ci/lint', { content: remote })).body.errors[0]).toMatch(
      /only fetched for signed-in users$/,
    );
    expect((await world.api(owner).post('/ci/lint', { content: remote })).body.errors[0]).toMatch(
      /could not be fetched/,
    );
    const private_ = { content: `include: {project: ${project.fullPath}, file: shared.yml}\n${content}` };
    expect((await world.api().post('/ci/lint', private_)).body.errors[0]).toMatch(/not found or access denied!/);
  });
});

describe('the .gitlab-ci.yml of Gantry itself', () => {
  it('is valid, and a push to the main branch gets no job that releases', async () => {
    const content = readFileSync(packagePath('.gitlab-ci.yml'), 'utf8');
    const ask = (body: Record<string, unknown>) => world.api(owner).post(at, { content, ...body });
    const linted = await ask({ include_jobs: true });
    expect(linted.body).toMatchObject({ valid: true, errors: [], warnings: [] });
    const names = (body: { jobs: { name: string }[] }) => body.jobs.map(({ name }) => name).sort();
    expect(names(linted.body)).toEqual(['chart', 'container', 'npm', 'pack', 'test']);
    const pushed = await ask({ include_jobs: true, dry_run: true, ref: 'master' });
    expect(names(pushed.body)).toEqual(['pack', 'test']);
  });
});
