// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { aggregate, coveredSeconds, type JobStatus } from '#src/domain/changes/pipeline_status.ts';
import { slugOf } from '#src/domain/ci/environments/values.ts';
import type { PipelineOrigin } from '#src/domain/ci/pipelines/config/base/origin.ts';
import { MAX_CONFIG_BYTES } from '#src/domain/ci/pipelines/config/base/sources.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import { predefined } from '#src/domain/ci/pipelines/config/base/variables.ts';
import { parseConfig } from '#src/domain/ci/pipelines/config/parse.ts';
import { selectJobs } from '#src/domain/ci/pipelines/config/select.ts';
import { LONG } from '../support/long.ts';

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
    ['cache: {key: {a: 1}}', 'jobs:a:cache:key config contains unknown keys: a'],
    [
      'cache: {key: {files: [a, b, c]}}',
      'jobs:a:cache:key:files config requires at least 1 item, and has too many items above 2',
    ],
    ['cache: {paths: x}', 'jobs:a:cache paths should be an array of strings'],
    ['cache: {untracked: x}', 'jobs:a:cache untracked should be a boolean value'],
    ['cache: {when: later}', 'jobs:a:cache when should be one of: on_success, on_failure, always'],
    ['cache: {policy: steal}', 'jobs:a:cache policy should be a variable or one of: pull-push, push, pull'],
    ['cache: [{}, {}, {}, {}, {}]', 'jobs:a:cache config no more than 4 caches can be created'],
    ['artifacts: x', 'jobs:a:artifacts config should be a hash'],
    ['artifacts: {paths: [{a: 1}]}', 'jobs:a:artifacts paths config should be an array of strings'],
    ['artifacts: {when: later}', 'jobs:a:artifacts when should be on_success, on_failure or always'],
    ['artifacts: {expire_in: soon}', 'jobs:a:artifacts expire in should be a duration'],
    ['artifacts: {name: [x]}', 'jobs:a:artifacts name should be a string'],
    ['artifacts: {reports: x}', 'jobs:a:artifacts:reports config should be a hash'],
    ['artifacts: {reports: {odd: x}}', 'jobs:a:artifacts:reports config contains unknown keys: odd'],
    ['artifacts: {public: true, access: all}', 'jobs:a:artifacts config may not use both public and access'],
    ['retry: 3', 'jobs:a:retry max must be less than or equal to 2'],
    ['retry: {when: rain}', 'jobs:a:retry when contains unknown values: rain'],
    ['timeout: soon', 'jobs:a timeout should be a duration'],
    ['parallel: 201', 'jobs:a parallel must be between 1 and 200'],
    [
      'parallel: {matrix: [{A: [1, 2, 3], B: [1, 2, 3, 4, 5, 6, 7, 8, 9], C: [1, 2, 3, 4, 5, 6, 7, 8]}]}',
      'jobs:a:parallel generates too many jobs (maximum is 200)',
    ],
    ['tags: x', 'jobs:a tags should be an array of strings'],
    ['dependencies: x', 'jobs:a dependencies should be an array of strings'],
    ['dependencies: [nobody]', 'a job: undefined dependency: nobody; there are a, b, c'],
    ['dependencies: [b]', 'a job: dependency b is not defined in prior stages: it is in test, and a in test'],
    ['dependencies: [c]', 'a job: dependency c is not defined in prior stages: it is in deploy, and a in test'],
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
    [
      'a: {script: x, stage: s}',
      'a job: chosen stage s does not exist; available stages are .pre, build, test, deploy, .post',
    ],
    ['a: {script: x, odd: 1, more: 2}', 'jobs:a config contains unknown keys: odd, more'],
    ['a: {script: x, when: later}', 'jobs:a when should be one of: on_success, on_failure, always, manual, delayed'],
    ['a: {script: x, allow_failure: maybe}', 'jobs:a allow failure should be a boolean value'],
    ['a: {script: x, only: master}', 'jobs:a:only config should be an array of strings or regexps'],
    ['a: {script: x, except: ["/(/"]}', 'jobs:a:except config should be an array of strings or regexps'],
    ['a: {script: x, variables: [1]}', 'jobs:a:variables config should be a hash of key value pairs'],
    ['a: {script: x, coverage: all}', 'jobs:a coverage config must be a regular expression'],
    ['a: {script: x, environment: {url: u}}', "jobs:a:environment name can't be blank"],
    ['a: {script: x, environment: "a:b"}', /jobs:a:environment name can contain only/],
    [
      'a: {script: x, environment: {name: n, action: odd}}',
      'jobs:a:environment action should be start, stop, prepare, verify, access',
    ],
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
    ['large', `a: {script: "${'x'.repeat(MAX_CONFIG_BYTES)}"}`],
    [
      'of anchors that multiply',
      `.a: &a [${'x,'.repeat(9)}x]\n${Array.from({ length: 8 }, (_, n) => `.${n}: &n${n} [${`*${n ? `n${n - 1}` : 'a'},`.repeat(9)}x]`).join('\n')}\nj: {script: *n7}`,
    ],
    ['of long texts that are repeated', `.a: &a ["${'x'.repeat(100_000)}"]\nj: {script: [${'*a,'.repeat(30)}]}`],
    [
      'of variables that all jobs have',
      `variables: {A: ${'x'.repeat(50_000)}}\n${Array.from({ length: 60 }, (_, n) => `j${n}: {script: x}`).join('\n')}`,
    ],
    ['with too many jobs', Array.from({ length: 501 }, (_, n) => `j${n}: {script: x}`).join('\n')],
  ])('is refused when it is %s', (_, text) => {
    expect(message(text)).not.toBeNull();
  });

  it('is refused when a hundred lists or maps are open within each other', LONG, () => {
    const deep = ['[', '- ', '? ', '[? ', '{a: '];
    for (const piece of deep)
      expect(message(piece.repeat(16_000))).toMatch(/^The file has more than 100 lists or maps/);
    expect(message(`j: {script: ${'['.repeat(97)}${']'.repeat(97)}}`)).toMatch(/^jobs:j:script config/);
    expect(message(`j: {script: ["${'[['.repeat(400)}"]}`)).toBeNull();
  });
});

describe('A file is read as libyaml reads it:', () => {
  const script = (text: string) => parseConfig(text).jobs[0]?.options.script;

  it.each([
    ['a text in quotes goes on in the column of its key', 'a:\n  script: "one\n  two\nthree"', ['one two three']],
    ['so does a list in brackets', 'a:\n  script: [one,\n  two,\nthree\n]', ['one', 'two', 'three']],
    ['and a map in braces', 'a: {\nscript: [\none\n]\n}', ['one']],
    ['a comment may follow a quote at once', 'a: {script: ["one"#two\n, \'three\'#four\n]}#five', ['one', 'three']],
    ['a hash within a text is none', 'a:\n  script: one#two', ['one#two']],
    [
      'a text without quotes goes on where it is indented',
      'a:\n  script:\n  - one\n    "two" [x\n  - b',
      ['one "two" [x', 'b'],
    ],
    [
      'blocks keep or fold their lines',
      'a:\n  script:\n  - |-\n    one\n      two\n  - >\n    a\n    b\n\n    c',
      ['one\n  two', 'a b\nc'],
    ],
    ['lists may begin in the column of their key', 'a:\n  script:\n  - one\n  - - two', ['one', 'two']],
    ['escapes', 'a: {script: "\\x41\\u00e9\\t\\\n   x"}', ['A\u00e9\tx']],
    ['quotes are doubled', "a: {script: 'it''s'}", ["it's"]],
    ['keys need no space behind a colon after quotes', 'a: {"script":x}', ['x']],
    ['known tags', 'a: {script: [!!str 5, ! 6]}', ['5', '6']],
    ['a file with marks, of Windows', '\ufeff---\r\na:\r\n  script: |\r\n    x\r\n    y\r\n...\r\n', ['x\ny\n']],
    [
      'the last of a key counts, and its own before what is merged',
      '.b: &b {script: m, tags: [t]}\na: {script: 1, <<: *b, script: 2}',
      ['2'],
    ],
    ['a key may merge by its tag', '.b: &b {script: m}\na:\n  !!merge <<: *b', ['m']],
    [
      'tags that mean what plain text means',
      'a: {script: [!!timestamp 2001-01-01, !!bool yes, !!float 1.5]}',
      ['2001-01-01', 'true', '1.5'],
    ],
    ['the first of several maps that are merged', '.b: &b {script: 1}\n.c: &c {script: 2}\na: {<<: [*b, *c]}', ['1']],
  ])('%s', (_, text, expected) => {
    expect(script(text)).toEqual(expected);
  });

  it.each([
    ['a:\n  script:\n  - !reference [.b, script]', '!reference [".b","script"] could not be found'],
    ['a: {script: !run x}', 'The tag !run is not supported at line 1, column 13'],
    ['a: {script: !!binary eA==}', 'The tag !!binary is not supported at line 1, column 13'],
    ['a: {script: "x}', 'A quote is not closed at line 1, column 13'],
    ['a: {script: x', 'The end of the file where , or } should be at line 1, column 14'],
    ['a: b: c', 'The value of a key cannot begin here at line 1, column 5'],
    ['a:\n\tscript: x', 'A tab cannot indent at line 2, column 1'],
    ['a:\n  script: x\n b: y', 'A map where a key should be at line 3, column 2'],
    ['a:\n  script: x\n  b\n', 'A colon is missing behind the key at line 3, column 3'],
    ['a: {script: `x`}', 'Nothing begins with ` at line 1, column 13'],
    ['a: {script: "\\q"}', 'An unknown escape at line 1, column 14'],
    ['a: *b', 'The anchor of *b is missing before it at line 1, column 4'],
    ['a: &a [*a]', '*a is within its own anchor at line 1, column 8'],
    ['a: {<<: x}', 'Only maps can be merged with << at line 1, column 5'],
    ['a: {script: x}\n---\nb: {script: y}', 'A second document, which is not supported unless the first has `spec`'],
    ['a: {script: x}\n---\nb: {script: y}\n---\nc', 'A third document, which is not supported at line 4, column 1'],
    ['a: {script: \u0007}', 'A control character at line 1, column 13'],
  ])('refuses %j', (text, expected) => {
    expect(message(text)).toBe(expected);
  });

  it.each(['yes', 'Yes', 'on', 'ON', 'true'])(
    'takes %s for true where a truth value is meant, and as a text elsewhere',
    (word) => {
      const [job] = parseConfig(`a: {script: ${word}, allow_failure: ${word}, cache: {untracked: ${word}}}`).jobs;
      expect(job).toMatchObject({ allowFailure: true, options: { script: [word], cache: { untracked: true } } });
    },
  );

  it.each(['no', 'off', 'Off', 'false'])('takes %s for false', (word) => {
    expect(parseConfig(`a: {script: x, when: manual, allow_failure: ${word}}`).jobs[0]?.allowFailure).toBe(false);
  });

  it.each([
    ['a: {script: x, inputs: {}}', 'jobs:a config contains keys that are not supported: inputs'],
    ['a: {script: x, odd: 1}', 'jobs:a config contains unknown keys: odd'],
    ['default: {odd: y}\na: {script: x}', 'default config contains unknown keys: odd'],
    ['a: {run: []}', 'jobs:a run is not supported'],
  ])('says what is not supported in %s', (text, expected) => {
    expect(message(text)).toBe(expected);
  });

  it('reads which pipeline a job starts', () => {
    const trigger = (text: string) => parseConfig(`a: {trigger: ${text}}`).jobs[0]?.trigger;
    const common = { include: null, depends: false, forwardsOwn: true, forwardsGiven: false };
    expect(trigger('group/project')).toEqual({ ...common, project: 'group/project', branch: null });
    expect(trigger('{project: p, branch: b, strategy: depend}')).toEqual({
      ...{ ...common, project: 'p', branch: 'b', depends: true },
    });
    expect(trigger('{include: a.yml, forward: {yaml_variables: false, pipeline_variables: true}}')).toEqual({
      ...{ project: null, branch: null, include: ['a.yml'], depends: false, forwardsOwn: false, forwardsGiven: true },
    });
    expect(
      trigger('{include: [a.yml, {artifact: b.yml, job: c, inputs: {x: 1}}], inputs: {x: 2, y: [z]}}'),
    ).toMatchObject({
      include: [
        { local: 'a.yml', inputs: { x: 2, y: ['z'] } },
        { artifact: 'b.yml', job: 'c', inputs: { x: 1, y: ['z'] } },
      ],
    });
    expect(trigger('{project: p, inputs: {x: true}}')).toMatchObject({ inputs: { x: true } });
    const inherited = 'image: ruby\ndefault: {tags: [t], interruptible: true}\na: {trigger: b}';
    expect(parseConfig(inherited).jobs[0]).toMatchObject({ interruptible: true, tags: [], options: {} });
    expect(parseConfig(inherited).jobs[0]?.options).not.toHaveProperty('image');
  });

  it.each([
    ['a: {trigger: b, script: x}', 'jobs:a config contains unknown keys: script'],
    ['a: {trigger: b, when: delayed, start_in: 1 day}', 'jobs:a config contains unknown keys: start_in'],
    ['a: {script: x, release: {tag_name: v1}}', "jobs:a:release description can't be blank"],
    ['a: {script: x, release: v1}', 'jobs:a:release config should be a hash'],
    [
      'a: {script: x, release: {tag_name: 1, description: d, odd: 1}}',
      'jobs:a:release config contains unknown keys: odd',
    ],
    ['a: {script: x, release: {tag_name: [1], description: d}}', 'jobs:a:release tag name should be a string'],
    [
      'a: {script: x, release: {tag_name: 1, description: d, assets: {links: [{name: n}]}}}',
      "jobs:a:release:assets:links name and url can't be blank",
    ],
    ['a: {release: {tag_name: 1, description: d}}', "jobs:a script can't be blank"],
    ['a: {script: x, id_tokens: {A: {}}}', "jobs:a:id_tokens:A aud can't be blank"],
    [
      'a: {script: x, id_tokens: {A-B: {aud: c}}}',
      "jobs:a:id_tokens:A-B name can contain only letters, digits and '_'",
    ],
    ['a: {script: x, id_tokens: [A]}', 'jobs:a:id_tokens config should be a hash'],
    ['a: {script: x, resource_group: /b}', expect.stringContaining('jobs:a resource group can contain only letters')],
    ['a: {script: x, resource_group: [b]}', expect.stringContaining('jobs:a resource group can contain only letters')],
    ['a: {trigger: b, when: delayed}', 'jobs:a when should not be delayed with a trigger'],
    ['a: {trigger: {project: b, inputs: c}}', 'jobs:a:trigger:inputs config should be a hash'],
    [
      'a: {trigger: {include: [{artifact: a.yml}]}}',
      'jobs:a:trigger include config must specify the job where to fetch the artifact from',
    ],
    ['a: {trigger: {}}', 'jobs:a:trigger config should have either a project or an include'],
    ['a: {trigger: {project: b, include: c}}', 'jobs:a:trigger config should have either a project or an include'],
    ['a: {trigger: {include: c, branch: b}}', 'jobs:a:trigger branch can only be used with a project'],
    ['a: {trigger: {project: b, strategy: hope}}', 'jobs:a:trigger strategy should be depend or mirror'],
    ['a: {trigger: {project: [b]}}', 'jobs:a:trigger project should be a string'],
    ['a: {trigger: {project: b, forward: all}}', 'jobs:a:trigger:forward config should be a hash'],
    ['a: {trigger: {project: b, forward: {odd: true}}}', 'jobs:a:trigger:forward config contains unknown keys: odd'],
  ])('refuses %s', (text, expected) => {
    expect(message(text)).toEqual(expected);
  });

  it('counts aliases, and the values that they and merges repeat, before it repeats them', () => {
    const wide = `{${Array.from({ length: 5_000 }, (_, n) => `k${n}: 1`).join(', ')}}`;
    const merges = `.a: &a ${wide}\n${Array.from({ length: 50 }, (_, n) => `.j${n}: {<<: *a}`).join('\n')}\nj: {script: x}`;
    expect(message(merges)).toBe('The file has more than 100000 values, with those that aliases and merges repeat');
    expect(message(`.a: &a x\n.b: [${'*a,'.repeat(6_000)}]\nj: {script: x}`)).toBe(
      'The file has more than 5000 aliases',
    );
    expect(message(`.a: &a x\n.b: [${'*a,'.repeat(2_000)}]\nj: {script: x}`)).toBeNull();
  });

  it.each([
    ['anchors', '&a '],
    ['tags', '! '],
    ['tabs', '\t'],
    ['colons', ': '],
    ['open quotes', '- "x\n'],
    ['brackets that close', ']\n'],
    ['keys', 'a: b\n'],
    ['blocks', '- |\n\n'],
  ])('takes time by its length for nothing but %s', (_, piece) => {
    message(piece.repeat(MAX_CONFIG_BYTES / piece.length - 1));
  });
});

describe('only and except', () => {
  const branch: PipelineOrigin = { ref: 'feature/x', tag: false, source: 'push', project: 'group/project' };
  const runs = (keys: string, origin: Partial<PipelineOrigin> = {}) =>
    selectJobs(parseConfig(`j: {script: x, ${keys}}`), { ...branch, ...origin }).length === 1;

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
  ] as const)('%s for %j: %s', (keys, origin, expected) => {
    expect(runs(keys, origin)).toBe(expected);
  });

  it('give up on patterns that take forever', () => {
    expect(() => runs('only: ["/^(a+)+$/"]', { ref: `${'a'.repeat(60)}!` })).toThrow(InvalidConfig);
  });
});

describe('Variables', () => {
  it('that every job gets tell of the ref and the project', () => {
    const known = predefined({ ref: 'Feature/X_1', tag: false, source: 'push', project: 'a/b/c' }, '1234');
    expect(known).toMatchObject({
      CI_COMMIT_REF_SLUG: 'feature-x-1',
      CI_PROJECT_NAME: 'c',
      CI_PROJECT_NAMESPACE: 'a/b',
    });
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
