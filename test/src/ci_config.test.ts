import { describe, expect, it } from 'vitest';
import { slugOf } from '#src/environments/values.ts';
import { InvalidConfig } from '#src/pipelines/config/model.ts';
import { parseConfig } from '#src/pipelines/config/parse.ts';
import { type Occasion, selectJobs } from '#src/pipelines/config/select.ts';
import { expand, predefined } from '#src/pipelines/config/variables.ts';
import { aggregate, coveredSeconds, type JobStatus } from '#src/pipelines/status.ts';

const message = (text: string) => {
  try {
    parseConfig(text);
  } catch (error) {
    if (error instanceof InvalidConfig) return error.message;
    throw error;
  }
  return null;
};

describe('A file', () => {
  it('has the stages build, test and deploy, and its jobs belong to test, unless it says otherwise', () => {
    const { stages, jobs } = parseConfig('a: {script: x}\nb: {script: y, stage: deploy}');
    expect(stages).toEqual(['build', 'test', 'deploy']);
    expect(jobs.map(({ name, stage, when, allowFailure }) => [name, stage, when, allowFailure])).toEqual([
      ['a', 'test', 'on_success', false],
      ['b', 'deploy', 'on_success', false],
    ]);
  });

  it('may use anchors, merges, hidden keys, and the old words', () => {
    const text = `
types: [one]
.common: &common
  type: one
  before_script: &prepare [a, b]
job:
  <<: *common
  script:
    - *prepare
    - c
`;
    const [job] = parseConfig(text).jobs;
    expect(job).toMatchObject({
      name: 'job',
      stage: 'one',
      options: { script: ['a', 'b', 'c'], before_script: ['a', 'b'] },
    });
  });

  it('keeps what a runner needs, with the defaults of the file', () => {
    const text =
      'image: {name: x}\nservices: [db]\ncache: {paths: [d]}\nj: {script: s, tags: [t], image: y, artifacts: {paths: [o]}}';
    expect(parseConfig(text).jobs[0]?.options).toEqual({
      script: ['s'],
      image: 'y',
      services: ['db'],
      cache: { paths: ['d'] },
      tags: ['t'],
      artifacts: { paths: ['o'] },
    });
  });

  it('holds nothing that the database cannot keep', () => {
    const odd = JSON.stringify('a\0b\ud800');
    const { jobs } = parseConfig(
      `${odd}: {script: ${odd}, variables: {${odd}: ${odd}}, image: {name: ${odd}}, tags: [${odd}]}`,
    );
    expect(JSON.stringify(jobs)).not.toMatch(/\\u0000|\\ud800/);
    expect(jobs[0]?.name).toBe('ab\ufffd');
    expect(message(`a: {script: x, ${odd}: 1}`)).toBe('jobs:a config contains unknown keys: ab\ufffd');
  });

  it.each([
    ['image: {name: x, pull: y}', 'jobs:a:image config contains unknown keys: pull'],
    ['image: [x]', 'jobs:a:image config should be a hash or a string'],
    ['image: {}', 'jobs:a:image name should be a string'],
    ["image: ''", "jobs:a:image config can't be blank"],
    ['services: db', 'jobs:a:services config should be an array'],
    ['services: [{alias: x}]', 'jobs:a:services name should be a string'],
    ['cache: [x]', 'jobs:a:cache config should be a hash'],
    ['cache: {key: {a: 1}}', 'jobs:a:cache key should be a string or symbol'],
    ['cache: {paths: x}', 'jobs:a:cache paths should be an array of strings'],
    ['cache: {untracked: x}', 'jobs:a:cache untracked should be a boolean value'],
    ['cache: {when: always}', 'jobs:a:cache config contains unknown keys: when'],
    ['artifacts: x', 'jobs:a:artifacts config should be a hash'],
    ['artifacts: {paths: [{a: 1}]}', 'jobs:a:artifacts paths config should be an array of strings'],
    ['artifacts: {when: later}', 'jobs:a:artifacts when should be on_success, on_failure or always'],
    ['artifacts: {expire_in: soon}', 'jobs:a:artifacts expire in should be a duration'],
    ['artifacts: {name: [x]}', 'jobs:a:artifacts name should be a string'],
    ['artifacts: {reports: x}', 'jobs:a:artifacts config contains unknown keys: reports'],
    ['tags: x', 'jobs:a tags should be an array of strings'],
    ['dependencies: x', 'jobs:a dependencies should be an array of strings'],
    ['dependencies: [nobody]', 'a job: undefined dependency: nobody'],
    ['dependencies: [b]', 'a job: dependency b is not defined in prior stages'],
    ['dependencies: [c]', 'a job: dependency c is not defined in prior stages'],
    ['coverage: 5%', 'jobs:a coverage config must be a regular expression'],
  ])('is refused with %s', (line, expected) => {
    const text = `a: {script: s, ${line}}\nb: {script: s}\nc: {script: s, stage: deploy}`;
    expect(message(text)).toBe(expected);
  });

  it.each([
    ['image: x', 'image config should be a hash or a string'],
    ['services: x', 'services config should be an array'],
    ['cache: x', 'cache config should be a hash'],
  ])('is refused with a wrong default, even where each job has its own: %s', (line, expected) => {
    const own = 'a: {script: s, image: y, services: [], cache: {}}';
    expect(message(`${line.replace(': x', ': 5')}\n${own}`)).toBe(expected);
  });

  it('takes durations as people write them, and dependencies on earlier stages', () => {
    for (const duration of ['42', '3 mins 4 sec', '2h20min', '6 mos 1 day', '3 weeks and 2 days', 'never', '1 week']) {
      const text = `a: {script: s, stage: build}\nb: {script: s, dependencies: [a], artifacts: {expire_in: ${duration}}}`;
      expect(parseConfig(text).jobs[1]?.options.artifacts).toEqual({ expire_in: duration });
    }
  });

  it('lets manual jobs be left out unless it says otherwise', () => {
    const { jobs } = parseConfig('a: {script: s, when: manual}\nb: {script: s, when: manual, allow_failure: false}');
    expect(jobs.map(({ allowFailure }) => allowFailure)).toEqual([true, false]);
  });

  it.each([
    ['', 'Invalid configuration format'],
    ['- a', 'Invalid configuration format'],
    ['a: *b', /b/],
    ['image: x', 'jobs config should contain at least one visible job'],
    ['a: x', 'jobs:a config should be a hash'],
    ['"": {script: x}', "jobs name can't be blank"],
    ['" ": {script: x}', "jobs name can't be blank"],
    ['a: {}', "jobs:a script can't be blank"],
    ['a: {script: {x: y}}', 'jobs:a:script config should be a string or an array of strings'],
    ['a: {script: x, stage: s}', 'a job: stage parameter should be build, test, deploy'],
    ['a: {script: x, odd: 1, more: 2}', 'jobs:a config contains unknown keys: odd, more'],
    ['a: {script: x, when: later}', 'jobs:a when should be one of: on_success, on_failure, always, manual'],
    ['a: {script: x, allow_failure: maybe}', 'jobs:a allow failure should be a boolean value'],
    ['a: {script: x, only: master}', 'jobs:a:only config should be an array of strings or regexps'],
    ['a: {script: x, except: ["/(/"]}', 'jobs:a:except config should be an array of strings or regexps'],
    ['a: {script: x, variables: [1]}', 'jobs:a:variables config should be a hash of key value pairs'],
    ['a: {script: x, coverage: all}', 'jobs:a coverage config must be a regular expression'],
    ['a: {script: x, environment: {url: u}}', "jobs:a:environment name can't be blank"],
    ['a: {script: x, environment: "a:b"}', /jobs:a:environment name can contain only/],
    ['a: {script: x, environment: {name: n, action: odd}}', 'jobs:a:environment action should be start or stop'],
    ['a: {script: x, environment: {name: n, on_stop: b}}', 'a job: on_stop job b is not defined'],
    [
      'a: {script: x, environment: {name: n, on_stop: b}}\nb: {script: x, environment: n}',
      'a job: on_stop job b needs to have action stop defined',
    ],
  ])('is refused: %s', (text, expected) => {
    if (expected instanceof RegExp) expect(message(text)).toMatch(expected);
    else expect(message(text)).toBe(expected);
  });

  it.each([
    ['nested deeply', '['.repeat(20_000)],
    ['large', `a: {script: "${'x'.repeat(130 * 1024)}"}`],
    [
      'of anchors that multiply',
      `.a: &a [${'x,'.repeat(9)}x]\n${Array.from({ length: 8 }, (_, n) => `.${n}: &n${n} [${`*${n ? `n${n - 1}` : 'a'},`.repeat(9)}x]`).join('\n')}\nj: {script: *n7}`,
    ],
    ['of long texts that are repeated', `.a: &a ["${'x'.repeat(100_000)}"]\nj: {script: [${'*a,'.repeat(20)}]}`],
    [
      'of variables that all jobs have',
      `variables: {A: ${'x'.repeat(50_000)}}\n${Array.from({ length: 30 }, (_, n) => `j${n}: {script: x}`).join('\n')}`,
    ],
    ['with too many jobs', Array.from({ length: 501 }, (_, n) => `j${n}: {script: x}`).join('\n')],
  ])('is refused when it is %s', (_, text) => {
    expect(message(text)).not.toBeNull();
  });

  it('is refused before it is read when brackets are open a thousand times', () => {
    expect(message('['.repeat(60_000))).toBe('The file has more than 1000 lists or maps within each other');
    expect(message(`j: {script: ["${'[['.repeat(400)}"]}`)).toBeNull();
  });
});

describe('only and except', () => {
  const branch: Occasion = { ref: 'feature/x', tag: false, source: 'push', project: 'group/project' };
  const runs = (keys: string, occasion: Partial<Occasion> = {}) =>
    selectJobs(parseConfig(`j: {script: x, ${keys}}`), { ...branch, ...occasion }).length === 1;

  it.each([
    ['only: [branches]', {}, true],
    ['only: [tags]', {}, false],
    ['only: [tags]', { tag: true, ref: 'v1' }, true],
    ['except: [branches]', {}, false],
    ['only: [feature/x]', {}, true],
    ['only: [feature]', {}, false],
    ['only: [/^feature/]', {}, true],
    ['only: [/^FEATURE/]', {}, false],
    ['only: [/^FEATURE/i]', {}, true],
    ['only: ["/x$/"], except: [feature/x]', {}, false],
    ['only: ["/^feature\\\\/.*$/@group/project"]', {}, true],
    ['only: [branches@group/project]', {}, true],
    ['only: [branches@other/project]', {}, false],
    ['only: [pushes]', {}, true],
    ['only: [api]', {}, false],
    ['only: [api]', { source: 'api' }, true],
    ['only: [triggers]', { source: 'trigger' }, true],
    ['except: [triggers]', { source: 'trigger' }, false],
    ['only: [schedules]', {}, false],
    ['only: []', {}, false],
  ] as const)('%s for %j: %s', (keys, occasion, expected) => {
    expect(runs(keys, occasion)).toBe(expected);
  });

  it('give up on patterns that take forever', () => {
    expect(() => runs('only: ["/^(a+)+$/"]', { ref: `${'a'.repeat(60)}!` })).toThrow(InvalidConfig);
  });
});

describe('Variables', () => {
  it('are replaced with and without braces, and unknown ones vanish', () => {
    const known = predefined({ ref: 'Feature/X_1', tag: false, source: 'push', project: 'a/b/c' }, '1234');
    const text = `review/$CI_COMMIT_REF_SLUG \${CI_PROJECT_NAME} $CI_PROJECT_NAMESPACE [$toString$NOTHING]`;
    expect(expand(text, known, 255)).toBe('review/feature-x-1 c a/b []');
    expect(expand('$CI$CI$CI', known, 6)).toBe('truetr');
  });
});

describe('The slug of an environment', () => {
  it.each([
    ['production', 'production'],
    ['a-1', 'a-1'],
  ])('of %s is %s', (name, slug) => expect(slugOf(name)).toBe(slug));

  it('is a host name of 24 characters at most, another one for every name', () => {
    const names = [
      'Production',
      'review/a',
      'review-a',
      'review a',
      '1',
      '---',
      '$',
      'x'.repeat(25),
      `${'x'.repeat(23)}-y`,
    ];
    const slugs = names.map(slugOf);
    expect(new Set(slugs).size).toBe(names.length);
    for (const slug of slugs) expect(slug).toMatch(/^[a-z][a-z0-9-]{0,22}[a-z0-9]$/);
  });
});

describe('The status of a pipeline', () => {
  it.each([
    ['success success', 'success'],
    ['skipped skipped', 'skipped'],
    ['created created', 'created'],
    ['success skipped', 'success'],
    ['success skipped canceled', 'canceled'],
    ['success canceled', 'canceled'],
    ['created skipped pending', 'pending'],
    ['success pending', 'running'],
    ['failed running', 'running'],
    ['failed pending manual', 'running'],
    ['success manual', 'manual'],
    ['failed manual', 'manual'],
    ['success created', 'running'],
    ['success failed', 'failed'],
    ['failed canceled skipped', 'failed'],
    ['success failed?', 'success'],
    ['failed?', 'success'],
    ['failed failed?', 'failed'],
    ['success manual?', 'success'],
    ['running manual?', 'running'],
    ['skipped failed?', 'skipped'],
  ])('of %s is %s', (jobs, expected) => {
    const counted = jobs.split(' ').map((job) => ({
      status: job.replace('?', '') as JobStatus,
      allowFailure: job.endsWith('?'),
    }));
    for (const order of [counted, counted.toReversed()]) expect(aggregate(order)).toBe(expected);
  });

  it('has a duration in which time is counted once', () => {
    const span = (from: number, to: number) => ({ from: from * 1000, to: to * 1000 });
    expect(coveredSeconds([])).toBe(0);
    expect(coveredSeconds([span(10, 20), span(0, 5), span(15, 25), span(16, 17)])).toBe(20);
  });
});
