import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { commitFile } from '../support/ci.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { registerRunner, type TestRunner } from '../support/runner.ts';
import { startRunnerWorld } from '../support/runner_world.ts';

const { world, owner, api, projectWithJobs, pipelineOf } = await startRunnerWorld();

const valuesOf = (payload: Json): Record<string, string> =>
  Object.fromEntries(payload.variables.map(({ key, value }: Json) => [key, value]));

const jobsOf = async (projectId: number) => {
  const { id: pipelineId } = await pipelineOf(projectId);
  return world.db.job.findMany({ where: { pipelineId }, orderBy: { id: 'asc' } });
};

/** Uploads the report of a job that sets variables for others. */
async function report(runner: TestRunner, job: Json, text: string): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([gzipSync(text)]), '.env.gz');
  const query = 'artifact_type=dotenv&artifact_format=gzip';
  const options = { method: 'POST', headers: { 'JOB-TOKEN': job.token }, body: form };
  const answer = await fetch(`${runner.url}/api/v4/jobs/${job.id}/artifacts?${query}`, options);
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
}

describe('Variables that refer to other variables', () => {
  it('are complete in the names of pipelines, environments and resource groups, in tags and in rules', async () => {
    const { project } = await projectWithJobs(`
workflow: {name: 'Build $CI_PIPELINE_IID of $PLACE'}
variables: {PLACE: "$KIND/$CI_COMMIT_REF_SLUG", KIND: review, RAW: {value: $KIND, expand: false}}
deploy:
  script: make
  tags: ["at-$PLACE"]
  resource_group: $PLACE
  environment: {name: $PLACE, url: "https://$CI_ENVIRONMENT_SLUG.example.com"}
meant: {script: make, rules: [{if: $PLACE == "review/master"}]}
found: {script: make, variables: {FILE: ".gitlab-$END", END: ci.yml}, rules: [{exists: [$FILE]}]}
raw: {script: make, rules: [{if: $RAW == "review"}]}
`);
    expect(await pipelineOf(project.id)).toMatchObject({ name: 'Build 1 of review/master' });
    const [deploy, ...others] = await jobsOf(project.id);
    expect(deploy).toMatchObject({
      environment: 'review/master',
      environmentUrl: 'https://$CI_ENVIRONMENT_SLUG.example.com',
      resourceGroup: 'review/master',
      tags: ['at-review/master'],
    });
    expect(others.map(({ name }) => name)).toEqual(['meant', 'found']);
  });

  it('are complete when a job is given out, as runners replace only once', LONG, async () => {
    const { project } = await projectWithJobs(`
variables: {IMAGE: "$HOST/$NAME:1", HOST: "$TOP.example.com", TOP: registry, NAME: tool, KEPT: {value: $TOP, expand: false}, LATER: "$NOBODY$$TOP"}
job:
  image: $IMAGE
  services: [{name: "db/$NAME", alias: "$TOP-db"}]
  script: make
  cache: {key: "$IMAGE-$CI_RUNNER_VERSION", paths: [a]}
  artifacts: {name: "$HOST", paths: [a]}
  environment: {name: live, url: "https://$CI_ENVIRONMENT_SLUG.$HOST/$CI_JOB_ID"}
`);
    await api.post(`/projects/${project.id}/variables`, { key: 'SECRET', value: 'a$TOP', raw: true });
    const runner = await registerRunner(world, {});
    const payload = await runner.take();
    expect(payload).toMatchObject({
      image: { name: 'registry.example.com/tool:1' },
      services: [{ name: 'db/tool', alias: 'registry-db' }],
      cache: [{ key: 'registry.example.com/tool:1-$CI_RUNNER_VERSION-protected' }],
      artifacts: [{ name: 'registry.example.com' }],
    });
    expect(valuesOf(payload)).toMatchObject({
      IMAGE: 'registry.example.com/tool:1',
      CI_JOB_IMAGE: 'registry.example.com/tool:1',
      CI_ENVIRONMENT_URL: `https://live.registry.example.com/${payload.id}`,
      KEPT: '$TOP',
      SECRET: 'a$TOP',
      LATER: '$NOBODY$$TOP',
    });
  });

  it('leave what others write, such as the message of a commit, as it is', LONG, async () => {
    const { project } = await projectWithJobs('variables: {SAID: "It says: $CI_COMMIT_TITLE"}\njob: {script: make}');
    await world.db.pipeline.updateMany({
      where: { projectId: project.id },
      data: { predefined: { CI_COMMIT_TITLE: 'Print $CI_JOB_TOKEN' } },
    });
    const { variables } = await (await registerRunner(world, {})).take();
    const of = (wanted: string) => variables.findLast(({ key }: Json) => key === wanted);
    expect(of('CI_COMMIT_TITLE')).toMatchObject({ value: 'Print $CI_JOB_TOKEN', raw: true });
    expect(of('SAID')).toMatchObject({ value: 'It says: Print $$CI_JOB_TOKEN' });
  });

  it('are no more for everybody to see than what they refer to', LONG, async () => {
    const { project } = await projectWithJobs('variables: {LOGIN: "me:$SECRET"}\njob: {script: make}');
    await api.post(`/projects/${project.id}/variables`, { key: 'SECRET', value: 'password', masked: true });
    const { variables } = await (await registerRunner(world, {})).take();
    const login = variables.find(({ key }: Json) => key === 'LOGIN');
    expect(login).toMatchObject({ value: 'me:password', public: false });
  });
});

describe('The URL of an environment', () => {
  const urlOf = async (projectId: number) => {
    const [environment] = await world.db.environment.findMany({ where: { projectId } });
    return environment?.externalUrl;
  };

  it('is known once the job has ended, by what the job itself has reported', LONG, async () => {
    const { project } = await projectWithJobs(`
variables: {HOST: wrong, DOMAIN: "$HOST.example.com"}
deploy:
  script: make
  environment: {name: review/one, url: "https://$DOMAIN/$PATH_OF_IT/$CI_ENVIRONMENT_SLUG"}
  artifacts: {reports: {dotenv: build.env}}
`);
    const runner = await registerRunner(world, {});
    const job = await runner.take();
    const slug = valuesOf(job).CI_ENVIRONMENT_SLUG;
    expect(valuesOf(job).CI_ENVIRONMENT_URL).toBe(`https://wrong.example.com/$PATH_OF_IT/${slug}`);
    await report(runner, job, 'HOST=right\nPATH_OF_IT=here');
    await runner.update(job, 'success');
    expect(await urlOf(project.id)).toBe(`https://right.example.com/here/${slug}`);
  });

  it('has the values of the project, over which reports do not win, and is written anew by a retry', LONG, async () => {
    const { project } = await projectWithJobs(
      'deploy: {script: make, environment: {name: live, url: "https://$HOST/$CI_JOB_ID"}, artifacts: {reports: {dotenv: a}}}',
    );
    await api.post(`/projects/${project.id}/variables`, { key: 'HOST', value: 'example.com' });
    const runner = await registerRunner(world, {});
    const job = await runner.take();
    await report(runner, job, 'HOST=other.example.com');
    await runner.update(job, 'success');
    expect(await urlOf(project.id)).toBe(`https://example.com/${job.id}`);
    const { body } = await api.post(`/projects/${project.id}/jobs/${job.id}/retry`);
    await runner.update(await runner.take(), 'success');
    expect(await urlOf(project.id)).toBe(`https://example.com/${body.id}`);
  });

  it('is known of a job that another system runs, too', async () => {
    const { project, sha } = await projectWithJobs(
      'variables: {HOST: "$CI_COMMIT_REF_SLUG.example.com"}\ndeploy: {script: make, environment: {name: live, url: "https://$HOST"}}',
    );
    await api.post(`/projects/${project.id}/statuses/${sha}`, { state: 'success', name: 'deploy', ref: 'master' });
    expect(await urlOf(project.id)).toBe('https://master.example.com');
  });
});

describe('What is known when a pipeline is made', () => {
  it.each([
    '$GITLAB_CI == "true"',
    '$CI_SERVER_URL =~ /^http:/ && $CI_SERVER_HOST == "127.0.0.1" && $CI_SERVER_VERSION',
    '$CI_API_V4_URL =~ /\\/api\\/v4$/',
    '$CI_PROJECT_URL =~ /^http:\\/\\/127/',
    '$CI_REGISTRY_IMAGE && $CI_REGISTRY && $CI_REGISTRY_USER',
    '$CI_PIPELINE_IID == "1"',
    '$GITLAB_USER_EMAIL =~ /@example.org$/ && $GITLAB_USER_NAME =~ /^Name of/ && $GITLAB_USER_LOGIN && $GITLAB_USER_ID',
  ])('can be asked for by a rule: %s', async (rule) => {
    const { project } = await projectWithJobs(`job: {script: make, rules: [{if: '${rule}'}]}\nelse: {script: make}`);
    const names = (await jobsOf(project.id)).map(({ name }) => name);
    expect(names).toEqual(['job', 'else']);
  });

  it('are the languages of the project and its open merge requests, in pipelines of these too', LONG, async () => {
    const { project } = await projectWithJobs('a: {script: make}');
    // The languages of most bytes come first, and a sixth one is left out.
    const endings = ['rb', 'go', 'c', 'pl', 'java', 'awk'];
    const actions = endings.map((ending, at) => ({
      ...{ action: 'create', file_path: `code.${ending}` },
      content: '# code\n'.repeat(40 - at * 5),
    }));
    const commit = { branch: 'master', commit_message: 'Code', actions };
    expect((await api.post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201);
    await world.idle();
    await world.mergeRequest(project, owner, { iid: 1, sourceBranch: 'master', targetBranch: 'other' });
    const config =
      'job: {script: make, rules: [{if: "$CI_PROJECT_REPOSITORY_LANGUAGES =~ /^ruby,go,c,perl,java$/ && $CI_OPEN_MERGE_REQUESTS"}]}';
    await commitFile(world, owner, project, config);
    await world.idle();
    expect(await jobsOf(project.id)).toMatchObject([{ name: 'job' }]);
  });
});
