import { describe, expect, it } from 'vitest';
import type { PipelineOrigin } from '#src/domain/ci/pipelines/config/base/origin.ts';
import { type Answers, keyOf, type Wanted } from '#src/domain/ci/pipelines/config/base/sources.ts';
import { planOf } from '#src/domain/ci/pipelines/config/plan.ts';
import { readExpression } from '#src/domain/ci/pipelines/config/rules/expression.ts';
import { knownTemplate } from '#src/domain/ci/pipelines/config/templates.ts';
import { LONG } from '../support/long.ts';

interface Case {
  origin?: Partial<PipelineOrigin>;
  weak?: Record<string, string>;
  strong?: Record<string, string>;
  files?: Record<string, string>;
  templates?: readonly string[];
  changed?: string[];
  tree?: string[];
}

const BRANCH: PipelineOrigin = { ref: 'topic', tag: false, source: 'push', project: 'group/project' };

function answersOf({ files = {}, templates = [], changed, tree }: Case): Answers {
  const answers = new Map<string, ReturnType<Answers['get']>>();
  const add = (wanted: Wanted, answer: ReturnType<Answers['get']>) => answers.set(keyOf(wanted), answer);
  for (const [path, text] of Object.entries(files)) add({ kind: 'file', place: null, path }, { text });
  for (const name of templates) add({ kind: 'template', name }, knownTemplate(name) ?? { error: `no ${name}` });
  if (changed) add({ kind: 'changes', compareTo: null }, { paths: changed, isWhole: true });
  const paths = tree ?? Object.keys(files);
  add({ kind: 'tree', place: null }, { paths, isWhole: true });
  return answers as Answers;
}

function plan(text: string, given: Case = {}) {
  const origin = { ...BRANCH, ...given.origin };
  const known = { weak: { CI_COMMIT_BRANCH: origin.ref, ...given.weak }, strong: given.strong ?? {} };
  const answer = planOf({ text, origin, known, answers: answersOf(given) });
  if ('missing' in answer) throw new Error(`missing: ${JSON.stringify(answer.missing)}`);
  return answer.plan;
}

/** The names of the jobs, in order, or what is wrong with the file. */
function jobs(text: string, given: Case = {}) {
  const { jobs: made, error, isFiltered } = plan(text, given);
  return error ?? (isFiltered ? 'filtered' : made?.map(({ name }) => name).join(' '));
}

const job = (rules: string) => `j: {script: x, variables: {OWN: own, BOTH: file}, rules: ${rules}}\nk: {script: y}`;

describe('A condition', () => {
  const set = { weak: { A: 'a', EMPTY: '', BRANCH: 'release/1', LINES: 'one\ntwo' }, strong: { BOTH: 'project' } };
  it.each([
    ['$A', true],
    ['$NOTHING', false],
    ['$EMPTY', false],
    ['$NOTHING == null', true],
    ['$EMPTY == null', false],
    ['$EMPTY == ""', true],
    ['$NOTHING == ""', false],
    ["$A == 'a'", true],
    ["$A == 'A'", false],
    ['"a" == $A', true],
    ['$A != "b"', true],
    ['$A =~ /^a$/', true],
    ['$A =~ /^aa?b$/', false],
    ['$BRANCH =~ /^release/', true],
    ['$BRANCH =~ /^RELEASE/', false],
    ['$BRANCH =~ /^RELEASE/i', true],
    ['$BRANCH =~ /lease\\/1/', true],
    ['$BRANCH !~ /^main$/', true],
    ['$NOTHING =~ /^$|xx/', true],
    ['$LINES =~ /^two/', false],
    ['$LINES =~ /^two/m', true],
    ['$LINES =~ /one.two/', false],
    ['$LINES =~ /one.two/s', true],
    ['$A && $NOTHING', false],
    ['$A || $NOTHING', true],
    ['$NOTHING && $A || $A', true],
    ['$NOTHING && ($A || $A)', false],
    ['$A == "a" && $BRANCH =~ /^rel/ || $NOTHING', true],
    ['$OWN == "own"', true],
    ['$BOTH == "project"', true],
    ['true', true],
    ['false', false],
  ])('%s: %s', (condition, expected) => {
    expect(jobs(job(`[{if: '${condition.replaceAll("'", "''")}'}]`), set)).toBe(expected ? 'j k' : 'k');
  });

  it.each([
    '',
    '$A ==',
    '== $A',
    '$A = "a"',
    '$A =~ /./',
    '($A',
    '$A)',
    '$A $A',
    '"a',
    '!$A',
    `${'$A && '.repeat(60)}$A`,
  ])('is invalid: %s', (text) => expect(readExpression(text)).toBeNull());

  it('is refused where it is invalid, and where its patterns take forever', () => {
    expect(jobs(job('[{if: "$A =="}]'))).toBe('jobs:j:rules:rule if invalid expression syntax');
    const slow = { weak: { SLOW: `${'a'.repeat(60)}!` } };
    expect(jobs(job('[{if: "$SLOW =~ /^(a+)+$/"}]'), slow)).toBe('The patterns of the file take too long');
  });
});

describe('The rules of a job', () => {
  it.each([
    ['[{when: on_success}]', 'j k'],
    ['[{if: $NO}]', 'k'],
    ['[{if: $NO}, {if: $CI_COMMIT_BRANCH}]', 'j k'],
    ['[{if: $CI_COMMIT_BRANCH, when: never}, {when: always}]', 'k'],
    ['[[{if: $NO}], [{when: on_success}]]', 'j k'],
    ['[]', "jobs:j:rules config can't be blank"],
    ['{if: $A}', 'jobs:j:rules config should be an array of hashes'],
    ['[{odd: 1}]', 'jobs:j:rules:rule config contains unknown keys: odd'],
    ['[{when: later}]', 'jobs:j:rules:rule when unknown value: later'],
    ['[{when: delayed}]', 'jobs:j:rules:rule start in should be a duration'],
    ['[{when: delayed, start_in: 8 days}]', 'jobs:j:rules:rule start in should not exceed the limit'],
    ['[{start_in: 1 day}]', 'jobs:j:rules:rule start in must be blank'],
  ])('%s: %s', (rules, expected) => expect(jobs(job(rules))).toBe(expected));

  it('decide how it runs', () => {
    const rules = '[{if: $NO, when: always}, {when: manual, variables: {BOTH: rule, MORE: 1}, interruptible: true}]';
    expect(plan(job(rules)).jobs?.[0]).toMatchObject({
      when: 'manual',
      allowFailure: false,
      interruptible: true,
      variables: { OWN: 'own', BOTH: 'rule', MORE: '1' },
    });
    const late = plan(job('[{when: delayed, start_in: 2 hours, allow_failure: true}]')).jobs?.[0];
    expect(late).toMatchObject({ when: 'delayed', startIn: 7_200, allowFailure: true });
    const named = `
a b: {stage: build, script: x, rules: [{if: '$CI_JOB_NAME == "a b" && $CI_JOB_NAME_SLUG == "a-b" && $CI_JOB_STAGE == "build"'}]}
c: {script: x, parallel: 2, rules: [{if: '$CI_JOB_GROUP_NAME == "c" && $CI_NODE_INDEX == "2" && $CI_NODE_TOTAL == "2"'}]}
d: {script: x, variables: {CI_JOB_NAME: other}, rules: [{if: '$CI_JOB_NAME == "other" && $CI_NODE_TOTAL == "1"'}]}
e: {script: x, rules: [{if: '$CI_JOB_NAME == "a b"'}]}`;
    expect(jobs(named)).toBe('a b c 2/2 d');
    // Jobs that are manual by themselves may fail, by whichever rule they run.
    const manual = plan('j: {script: x, when: manual, rules: [{if: $CI_COMMIT_BRANCH}]}').jobs?.[0];
    expect(manual).toMatchObject({ when: 'manual', allowFailure: true });
  });

  it('cannot stand beside what they replace', () => {
    expect(jobs('j: {script: x, rules: [{when: always}], only: [main]}')).toBe(
      'jobs:j config key may not be used with `rules`: only',
    );
  });

  it.each([
    ['[{changes: ["src/*.ts"]}]', ['src/a.ts'], true],
    ['[{changes: ["src/*.ts"]}]', ['src/deep/a.ts', 'a.ts'], false],
    ['[{changes: ["**/*.ts"]}]', ['src/deep/a.ts'], true],
    ['[{changes: ["**/*.ts"]}]', ['a.ts'], true],
    ['[{changes: ["src/**/*"]}]', ['src/.hidden/x'], true],
    ['[{changes: ["*.{md,txt}"]}]', ['README.md'], true],
    ['[{changes: ["docs/$NAME.md"]}]', ['docs/own.md'], false],
    ['[{changes: ["docs/$OWN.md"]}]', ['docs/own.md'], true],
    ['[{changes: {paths: [Dockerfile]}}]', ['Dockerfile'], true],
    ['[{changes: [Dockerfile], if: $NO}]', ['Dockerfile'], false],
  ] as const)('%s with %j changed: %s', (rules, changed, expected) => {
    expect(jobs(job(rules), { changed: [...changed] })).toBe(expected ? 'j k' : 'k');
  });

  it('look for files', () => {
    const tree = ['src/', 'src/main.go', 'Dockerfile', '.ci/x.yml'];
    expect(jobs(job('[{exists: [Dockerfile]}]'), { tree })).toBe('j k');
    expect(jobs(job('[{exists: ["*.go"]}]'), { tree })).toBe('k');
    expect(jobs(job('[{exists: ["**/*.go"]}]'), { tree })).toBe('j k');
    expect(jobs(job('[{exists: [src/]}]'), { tree })).toBe('j k');
    expect(jobs(job('[{exists: [main.go], when: never}, {exists: ["*/x.yml"]}]'), { tree })).toBe('j k');
  });
});

describe('only and except with keys', () => {
  it.each([
    ['only: {refs: [topic]}', 'j'],
    ['only: {refs: [main]}', ''],
    ['only: {variables: [$NO, $CI_COMMIT_BRANCH]}', 'j'],
    ['only: {variables: [$NO]}', ''],
    ['only: {refs: [topic], variables: [$NO]}', ''],
    ['only: {changes: [a]}', 'j'],
    ['only: {changes: [b]}', ''],
    ['only: {kubernetes: active}', ''],
    ['except: {changes: [a]}', ''],
    ['except: {variables: [$NO], refs: [main]}', 'j'],
    ['except: {variables: [$CI_COMMIT_BRANCH], refs: [main]}', ''],
  ])('%s: %s', (keys, expected) => expect(jobs(`j: {script: x, ${keys}}`, { changed: ['a'] })).toBe(expected));
});

describe('Pipelines of merge requests', () => {
  const origin = { source: 'merge_request_event', ref: 'refs/merge-requests/1/head', branch: 'topic' } as const;
  it('have the jobs that ask for them', () => {
    const text = [
      'plain: {script: x}',
      'old: {script: x, only: [merge_requests]}',
      `new: {script: x, rules: [{if: '$CI_PIPELINE_SOURCE == "merge_request_event"'}]}`,
      'branches: {script: x, only: {refs: [branches]}}',
    ].join('\n');
    const weak = { CI_PIPELINE_SOURCE: 'merge_request_event' };
    expect(jobs(text, { origin, weak })).toBe('old new');
    expect(jobs(text)).toBe('plain branches');
    expect(jobs(`${text}\nworkflow: {rules: [{when: always}]}`, { origin, weak })).toBe('plain old new');
  });
});

describe('The workflow', () => {
  const workflow = (rules: string, more = '') => `workflow: {rules: ${rules}${more}}\nj: {script: x}`;
  it.each([
    ['[{if: $NO}]', 'filtered'],
    ['[{if: $CI_COMMIT_BRANCH}]', 'j'],
    ['[{if: $CI_COMMIT_BRANCH, when: never}, {when: always}]', 'filtered'],
    ['[{when: manual}]', 'workflow:rules:rule when unknown value: manual'],
  ])('with %s: %s', (rules, expected) => expect(jobs(workflow(rules))).toBe(expected));

  it('names the pipeline, sets variables, and cancels', () => {
    const text = `variables: {A: file, B: file}\n${workflow('[{variables: {A: workflow, C: c}, auto_cancel: {on_job_failure: all}}]', ', name: " $A of $CI_COMMIT_BRANCH ", auto_cancel: {on_new_commit: interruptible}')}\nk: {script: x, variables: {A: job}}`;
    const made = plan(text);
    expect(made).toMatchObject({
      name: ' $A of $CI_COMMIT_BRANCH ',
      variables: { values: { A: 'workflow', B: 'file', C: 'c' }, raw: [] },
      autoCancel: { onNewCommit: 'interruptible', onJobFailure: 'all' },
    });
    expect(made.jobs?.map(({ variables }) => variables)).toEqual([
      { A: 'workflow', B: 'file', C: 'c' },
      { A: 'job', B: 'file', C: 'c' },
    ]);
  });
});

describe('extends', () => {
  it('merges maps, and replaces lists and texts', () => {
    const text = `
.base: {script: base, variables: {A: base, B: base}, tags: [one, two], stage: build}
.other: {variables: {B: other}}
j: {extends: [.base, .other], variables: {C: own}, tags: [three]}
k: {extends: j, script: own}
`;
    expect(plan(text).jobs).toMatchObject([
      {
        stage: 'build',
        variables: { A: 'base', B: 'other', C: 'own' },
        tags: ['three'],
        options: { script: ['base'] },
      },
      { stage: 'build', tags: ['three'], options: { script: ['own'] } },
    ]);
  });

  it.each([
    ['j: {extends: .no, script: x}', 'j: unknown keys in `extends` (.no)'],
    ['j: {extends: k, script: x}\nk: {extends: j}', 'j: circular dependency detected in `extends`'],
    ['j: {extends: {a: b}, script: x}', 'jobs:j:extends config should be an array of strings or a string'],
    [
      `j: {extends: .l0, script: x}\n${Array.from({ length: 13 }, (_, n) => `.l${n}: {extends: .l${n + 1}}`).join('\n')}\n.l13: {tags: [x]}`,
      '.l10: nesting too deep in `extends`',
    ],
  ])('is refused: %s', (text, expected) => expect(jobs(text)).toBe(expected));

  it('stays within limits where it multiplies', LONG, () => {
    const wide = Array.from({ length: 3_000 }, (_, n) => `V${n}: 1`).join(', ');
    const many = Array.from({ length: 400 }, (_, n) => `j${n}: {extends: .wide}`).join('\n');
    expect(jobs(`.wide: {script: x, variables: {${wide}}}\n${many}`)).toBe('The configuration is too large');
  });
});

describe('!reference', () => {
  it('stands for what is elsewhere, also in lists and after extends', () => {
    const text = `
.a: {script: [one, two], rules: [{if: $NO}, {when: manual}]}
.b: {extends: .a}
.c: {before: !reference [.a, script]}
j:
  script: [!reference [.b, script], three, !reference [.c, before]]
  rules: [!reference [.b, rules]]
`;
    expect(plan(text).jobs).toMatchObject([
      { when: 'manual', options: { script: ['one', 'two', 'three', 'one', 'two'] } },
    ]);
  });

  it.each([
    ['!reference [.a, no]', '!reference [".a","no"] could not be found'],
    ['!reference []', '!reference [] could not be found'],
    ['!reference [j, script]', '!reference ["j","script"] is nested too deeply or refers to itself'],
    ['[!reference [.a, script]', /line 1/],
    ['!reference .a', 'The tag !reference is not supported at line 1, column 13'],
  ])('is refused: %s', (value, expected) =>
    expect(jobs(`j: {script: ${value}}\n.a: {script: x}`)).toEqual(
      expected instanceof RegExp ? expect.stringMatching(expected) : expected,
    ),
  );

  it('stays within limits where it multiplies', () => {
    const levels = Array.from({ length: 9 }, (_, n) => `.l${n}: {s: [${`!reference [.l${n + 1}, s],`.repeat(9)}]}`);
    expect(jobs(`${levels.join('\n')}\n.l9: {s: [x]}\nj: {script: !reference [.l0, s]}`)).toBe(
      'The configuration is too large',
    );
  });
});

describe('default and inherit', () => {
  const text = (more: string) => `
default: {image: one, tags: [t], retry: 1, before_script: [b], interruptible: true}
variables: {A: a, B: b}
j: {script: x, ${more}}
`;
  it('gives jobs the keys that they do not have', () => {
    expect(plan(text('image: own')).jobs?.[0]).toMatchObject({
      tags: ['t'],
      interruptible: true,
      variables: { A: 'a', B: 'b' },
      options: { image: 'own', before_script: ['b'], retry: { max: 1, when: [], exitCodes: [] } },
    });
    const [none] = plan(text('inherit: {default: false, variables: [B]}')).jobs ?? [];
    expect(none).toMatchObject({ tags: [], interruptible: false, variables: { B: 'b' }, options: { script: ['x'] } });
    expect(none?.options).not.toHaveProperty('image');
    const [some] = plan(text('inherit: {default: [image]}')).jobs ?? [];
    expect(some).toMatchObject({ tags: [], options: { image: 'one' } });
    expect(jobs('image: x\ndefault: {image: y}\nj: {script: z}')).toBe(
      'image is defined in top-level and `default:` entry',
    );
  });
});

describe('needs', () => {
  it('orders jobs, and names those that parallel makes', () => {
    const text = `
last: {script: x, stage: test, needs: [many, {job: first, artifacts: false}]}
many: {script: x, stage: test, parallel: 2, needs: []}
first: {script: x, stage: build}
`;
    const made = plan(text).jobs ?? [];
    expect(made.map(({ name }) => name)).toEqual(['many 1/2', 'many 2/2', 'first', 'last']);
    expect(made.at(-1)?.needs?.map((need) => [need.job, need.artifacts])).toEqual([
      ['many 1/2', true],
      ['many 2/2', true],
      ['first', false],
    ]);
  });

  it('chooses from a matrix', () => {
    const text = `
build: {script: x, stage: build, parallel: {matrix: [{OS: [linux, mac], ARCH: [x64, arm]}, {OS: bsd}]}}
test: {script: x, needs: [{job: build, parallel: {matrix: [{OS: linux, ARCH: [x64]}]}}]}
`;
    const made = plan(text).jobs ?? [];
    expect(made.map(({ name }) => name)).toEqual([
      'build: [linux, x64]',
      'build: [linux, arm]',
      'build: [mac, x64]',
      'build: [mac, arm]',
      'build: [bsd]',
      'test',
    ]);
    expect(made[4]?.variables).toEqual({ OS: 'bsd', CI_NODE_INDEX: '5', CI_NODE_TOTAL: '5' });
    expect(made.at(-1)?.needs?.map((need) => need.job)).toEqual(['build: [linux, x64]']);
  });

  it.each([
    ['needs: [no]', 'j job: undefined need: no; there are b, j, later'],
    ['needs: [{job: no, optional: true}]', 'b j later'],
    ['needs: [later]', 'j job: need later is not defined in current or prior stages: it is in deploy, and j in test'],
    ['needs: [j]', 'The pipeline has circular dependencies: j waits for itself'],
    ['needs: [{artifacts: true}]', "jobs:j:needs job can't be blank"],
    [`needs: [${'b,'.repeat(51)}]`, 'jobs:j:needs config has too many needs (maximum is 50)'],
    ['needs: [b], dependencies: [c]', 'j job: undefined dependency: c; there are b, j, later'],
    ['needs: [], dependencies: [b]', 'j job: dependency b should be part of needs'],
  ])('with %s: %s', (keys, expected) => {
    expect(jobs(`b: {script: x, stage: build}\nj: {script: x, ${keys}}\nlater: {script: x, stage: deploy}`)).toBe(
      expected,
    );
  });

  it('is refused if a job that is needed is left out, unless it may be', () => {
    const text = (need: string) => `b: {script: x, rules: [{if: $NO}]}\nj: {script: x, needs: [${need}]}`;
    expect(jobs(text('b'))).toBe("'j' job needs 'b' job, but it was not added to the pipeline");
    expect(jobs(text('{job: b, optional: true}'))).toBe('j');
  });

  it('of a rule takes the place of that of the job', () => {
    const text =
      'a: {script: x}\nb: {script: x}\nj: {script: x, needs: [a], rules: [{if: $CI_COMMIT_BRANCH, needs: [b]}]}';
    expect(
      plan(text)
        .jobs?.at(-1)
        ?.needs?.map((need) => need.job),
    ).toEqual(['b']);
  });
});

describe('include', () => {
  it('merges files, the later ones over the earlier, and the file itself over all', () => {
    const files = {
      'a.yml': 'variables: {A: a, B: a, C: a}\na: {script: a}\nboth: {script: a, tags: [a]}',
      'ci/b.yml': 'include: {local: /ci/c.yml}\nvariables: {B: b, C: b}\nboth: {script: b}',
      'ci/c.yml': 'c: {script: c}',
    };
    const text = 'include: [/a.yml, {local: ci/b.yml}]\nvariables: {C: own}\nj: {script: x}';
    const made = plan(text, { files });
    expect(made.jobs?.map(({ name }) => name)).toEqual(['a', 'both', 'c', 'j']);
    expect(made.jobs?.[1]).toMatchObject({
      tags: ['a'],
      variables: { A: 'a', B: 'b', C: 'own' },
      options: { script: ['b'] },
    });
    expect(made.included.map(({ location }) => location)).toEqual(['a.yml', 'ci/b.yml', 'ci/c.yml']);
  });

  it('takes patterns and rules', () => {
    const files = {
      'ci/a.yml': 'a: {script: a}',
      'ci/b.yaml': 'b: {script: b}',
      'ci/deep/c.yml': 'c: {script: c}',
      'ci/d.txt': '',
    };
    expect(jobs('include: "ci/*.y*ml"', { files })).toBe('a b');
    expect(jobs('include: "ci/**/*.yml"', { files })).toBe('a c');
    expect(
      jobs('include: [{local: ci/a.yml, rules: [{if: $NO}]}, {local: ci/b.yaml, rules: [{exists: [ci/d.txt]}]}]', {
        files,
      }),
    ).toBe('b');
    expect(jobs('include: "no/*.yml"', { files })).toBe('Local file `no/*.yml` does not exist!');
  });

  it.each([
    ['include: a.txt', 'Included file `a.txt` does not have YAML extension!'],
    ['include: list.yml', 'Included file `list.yml` does not have valid YAML syntax!'],
    [
      'include: {local: a.yml, remote: b}',
      'include config must contain exactly one of: local, project, remote, template, component, artifact',
    ],
    ['include: {project: a/b}', 'include config must specify the file where to fetch the config from'],
    ['include: {local: a.yml, odd: 1}', 'include config contains unknown keys: odd'],
    ['include: {artifact: a.yml}', 'include job should be a string'],
    ['include: {artifact: a.txt, job: b}', 'Included file `a.txt` does not have YAML extension!'],
    ['include: {component: host/a/b@1}', 'Component `host/a/b@1` should be $CI_SERVER_FQDN/project/name@version'],
    [
      'include: {component: $CI_SERVER_FQDN/a/b}',
      'Component `$CI_SERVER_FQDN/a/b` should be $CI_SERVER_FQDN/project/name@version',
    ],
    ['include: self.yml', 'Files are included more than 20 levels deep'],
    [`include: [${'ok.yml,'.repeat(151)}]`, 'Maximum of 150 nested includes are allowed!'],
    ['include: big.yml', 'The file big.yml is larger than 1048576 bytes'],
  ])('is refused: %s', (include, expected) => {
    const files = {
      'list.yml': '- a',
      'self.yml': 'include: self.yml',
      'ok.yml': 'k: {script: x}',
      'big.yml': ' '.repeat(1024 * 1024 + 1),
    };
    expect(jobs(`${include}\nj: {script: x}`, { files })).toBe(expected);
  });

  it('asks for all files of one level at once', () => {
    const text =
      'include: [a.yml, {project: x/y, ref: v1, file: [/b.yml, c.yml]}, {template: Go}, {remote: "https://host/d.yml"}]\nj: {script: x}';
    const answer = planOf({ text, origin: BRANCH, known: { weak: {}, strong: {} }, answers: new Map() });
    const place = { project: 'x/y', ref: 'v1' };
    expect(answer).toEqual({
      missing: [
        { kind: 'file', place: null, path: 'a.yml' },
        { kind: 'file', place, path: 'b.yml' },
        { kind: 'file', place, path: 'c.yml' },
        { kind: 'template', name: 'Go' },
        { kind: 'remote', url: 'https://host/d.yml' },
      ],
    });
  });
});

describe('Templates of others', () => {
  const including = (name: string, more = 'j: {script: x}') => `include: {template: ${name}}\n${more}`;

  it.each([
    [
      'Workflows/MergeRequest-Pipelines.gitlab-ci.yml',
      { weak: { CI_COMMIT_BRANCH: 'topic', CI_DEFAULT_BRANCH: 'main' } },
      'filtered',
    ],
    ['Workflows/MergeRequest-Pipelines.gitlab-ci.yml', { weak: { CI_PIPELINE_SOURCE: 'merge_request_event' } }, 'j'],
    ['Workflows/Branch-Pipelines.gitlab-ci.yml', {}, 'j'],
  ])('rule whether there is a pipeline, as %s does: %j', (name, given, expected) => {
    expect(jobs(including(name), { ...given, templates: [name] })).toBe(expected);
  });

  it.each([
    'Jobs/SAST.gitlab-ci.yml',
    'Security/Secret-Detection.gitlab-ci.yml',
    'Code-Quality.gitlab-ci.yml',
    'Pages/Hugo.gitlab-ci.yml',
  ])('that need programs of theirs add nothing, and the author is told: %s', (name) => {
    const text = including(
      name,
      'j: {script: x}\nscan: {stage: test, variables: {A: b}}\nown: {extends: .scan, script: x}',
    );
    const made = plan(text, { templates: [name] });
    expect(made.jobs?.map((one) => one.name)).toEqual(['j', 'own']);
    expect(made.warnings).toEqual([
      `Template \`${name}\` is ignored: there is none like it here, and it adds no jobs`,
      'jobs:scan is left out, as it has no script without such a template',
    ]);
  });

  it('are an error if nobody knows them', () => {
    expect(jobs(including('Odd/Thing.gitlab-ci.yml'), { templates: ['Odd/Thing.gitlab-ci.yml'] })).toBe(
      'no Odd/Thing.gitlab-ci.yml',
    );
  });
});

describe('A job that is named like one of a matrix', () => {
  it('takes its place', () => {
    const text =
      'j: {script: x, parallel: {matrix: [{A: [a, b]}]}}\n"j: [a]": {script: own}\nk: {script: x, needs: [j]}';
    const made = plan(text);
    expect(made.jobs?.map(({ name, options }) => `${name} ${options.script}`)).toEqual([
      'j: [b] x',
      'j: [a] own',
      'k x',
    ]);
  });
});

describe('Inputs', () => {
  it.each(['a/b', 'a b', 'a.b', 'größe', 'a-b_c'])('have any name: %s', (name) => {
    expect(jobs(`spec: {inputs: {"${name}": {default: made}}}\n---\n"$[[ inputs.${name} ]]": {script: x}`)).toBe(
      'made',
    );
  });

  it.each([
    ["it's $HOME; ls", "it\\\\'s\\\\ \\\\$HOME\\\\;\\\\ ls"],
    ['', "''"],
  ])('are one word for a shell with posix_escape: %s', (value, expected) => {
    const text = `spec: {inputs: {a: {default: ${JSON.stringify(value)}}}}\n---\nj: {script: "$[[ inputs.a | posix_escape ]]"}`;
    expect(plan(text).jobs?.[0]?.options.script).toEqual([expected.replaceAll('\\\\', '\\')]);
  });

  it('that are not there are told with those that are', () => {
    expect(jobs('spec: {inputs: {a: {default: b}}}\n---\nj: {script: "$[[ inputs.c ]]"}')).toBe(
      'unknown interpolation key: `c`; there are `a`',
    );
  });

  const header =
    'spec: {inputs: {name: {}, count: {type: number, default: 2}, on: {type: boolean, default: true}, list: {type: array, default: [a, b]}, kind: {options: [x, y], default: x}, tag: {regex: "^v[0-9]+$", default: v1}}}\n---\n';
  const body =
    '"$[[ inputs.name ]]-job": {script: "echo $[[ inputs.kind | truncate(0,1) ]] $[[inputs.tag]]", parallel: "$[[ inputs.count ]]", interruptible: "$[[ inputs.on ]]", tags: "$[[ inputs.list ]]"}';
  const included = (inputs: string) => ({
    text: `include: {local: a.yml, inputs: ${inputs}}\nj: {script: y}`,
    files: { 'a.yml': header + body },
  });
  it('are put into an included file with their types', () => {
    const { text, files } = included('{name: unit, tag: v12}');
    const made = plan(text, { files });
    expect(made.jobs?.map(({ name }) => name)).toEqual(['unit-job 1/2', 'unit-job 2/2', 'j']);
    expect(made.jobs?.[0]).toMatchObject({
      interruptible: true,
      tags: ['a', 'b'],
      options: { script: ['echo x v12'] },
    });
  });

  it.each([
    ['{}', '`name` input: required value has not been provided'],
    ['{name: 1}', '`name` input: provided value is not a string'],
    ['{name: a, kind: z}', '`kind` input: `z` cannot be used because it is not in the list of allowed options'],
    ['{name: a, tag: x}', '`tag` input: provided value does not match required RegEx pattern'],
    ['{name: a, odd: x}', 'unknown input arguments: odd'],
  ])('are refused: %s', (inputs, expected) => {
    const { text, files } = included(inputs);
    expect(jobs(text, { files })).toBe(expected);
  });

  it('must be known where they are used', () => {
    expect(jobs('spec: {inputs: {}}\n---\nj: {script: "$[[ inputs.no ]]"}')).toBe('unknown interpolation key: `no`');
    expect(jobs('spec: {inputs: {a: {default: b}}}\n---\nj: {script: "$[[ inputs.a | odd ]]"}')).toMatch(
      /^no function matching/,
    );
  });
});

describe('A file of today', () => {
  it('keeps what a runner needs', () => {
    const text = `
variables: {PLAIN: 1, RAW: {value: $A, expand: false}, SAID: {value: x, description: d, options: [x, y]}}
j:
  script: x
  image: {name: i, pull_policy: always, docker: {platform: p}}
  services: [{name: db, variables: {A: b}}]
  cache: [{key: {files: [lock], prefix: p}, paths: [m], policy: pull, when: always, fallback_keys: [k]}, {paths: [n]}]
  artifacts: {paths: [o], exclude: [p], reports: {junit: a.xml, dotenv: [b.env], coverage_report: {coverage_format: cobertura, path: c.xml}}}
  timeout: 1h 30m
  retry: {max: 2, when: [script_failure], exit_codes: 3}
  allow_failure: {exit_codes: [1, 2]}
`;
    const [made] = plan(text).jobs ?? [];
    expect(made?.allowFailure).toBe(false);
    expect(made?.variables).toEqual({ PLAIN: '1', RAW: '$A', SAID: 'x' });
    expect(made?.raw).toEqual(['RAW']);
    expect(made?.options).toMatchObject({
      image: { pull_policy: 'always' },
      cache: [{ key: { files: ['lock'], prefix: 'p' }, policy: 'pull', fallback_keys: ['k'] }, { paths: ['n'] }],
      artifacts: { exclude: ['p'], reports: { junit: ['a.xml'], dotenv: ['b.env'], cobertura: ['c.xml'] } },
      timeout: 5_400,
      retry: { max: 2, when: ['script_failure'], exitCodes: [3] },
      allow_failure_exit_codes: [1, 2],
    });
  });

  it('is used without what has no effect, and its author is told', () => {
    const made = plan('j: {script: x, secrets: {A: b}, identity: c}\nk: {script: y}');
    expect(made.error).toBeNull();
    expect(made.warnings).toEqual(['jobs:j secrets, identity: ignored, as it is not supported']);
  });

  it('may publish sites, whose directories are among the artifacts', () => {
    const made = plan(
      [
        'pages: {script: x}',
        'site: {script: x, pages: true, artifacts: {paths: [a]}}',
        'dist: {script: x, pages: {publish: dist/, path_prefix: $CI_COMMIT_REF_SLUG, expire_in: 1 week}, artifacts: {paths: [dist]}}',
        'old: {script: x, pages: true, publish: out}',
        'no: {script: x, pages: false}',
        'other: {script: x}',
      ].join('\n'),
    );
    expect([made.error, made.warnings]).toEqual([null, []]);
    expect(made.jobs?.map(({ name, options: { pages, artifacts } }) => [name, pages, artifacts])).toEqual([
      ['pages', { publish: 'public' }, { paths: ['public'] }],
      ['site', { publish: 'public' }, { paths: ['a', 'public'] }],
      ['dist', { publish: 'dist/', path_prefix: '$CI_COMMIT_REF_SLUG', expire_in: '1 week' }, { paths: ['dist'] }],
      ['old', { publish: 'out' }, { paths: ['out'] }],
      ['no', undefined, undefined],
      ['other', undefined, undefined],
    ]);
    expect(plan('pages: {script: x, pages: false}').jobs?.map(({ options }) => options.pages)).toEqual([undefined]);
  });

  it.each([
    ['j: {script: x, pages: 3}', 'jobs:j:pages config should be a boolean value'],
    [
      'j: {script: x, pages: {publish: a}, publish: b}',
      'jobs:j:publish and jobs:j:pages:publish cannot be used together',
    ],
    ['j: {script: x, publish: b}', 'jobs:j publish is for jobs with pages alone'],
    ['j: {script: x, pages: {publish: [a]}}', 'jobs:j:publish should be a string of at most 1000 characters'],
    ['j: {script: x, pages: {expire_in: soon}}', 'jobs:j:pages expire in should be a duration'],
    ['j: {script: x, pages: {path: a}}', 'jobs:j:pages config contains unknown keys: path'],
  ])('says what is wrong with a site: %s', (text, problem) => {
    expect(plan(text).error).toBe(problem);
  });

  it('may have a first and a last stage that it does not list', () => {
    const made = plan(
      'stages: [one]\nz: {script: x, stage: .post}\na: {script: x, stage: .pre}\nb: {script: x, stage: one}',
    );
    expect([made.stages, made.jobs?.map(({ stage }) => stage)]).toEqual([['one'], ['.post', '.pre', 'one']]);
  });
});
