// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of other languages
import { gzipSync } from 'node:zlib';
import { parseDuration } from '#src/base/duration.ts';
import { patternParts } from '#src/base/ruby_pattern.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import { type PlanAnswer, planOf } from '#src/domain/ci/pipelines/config/plan.ts';
import { readExpression, variablesIn } from '#src/domain/ci/pipelines/config/rules/expression.ts';
import { isGlob, matchesAny } from '#src/domain/ci/pipelines/config/rules/glob.ts';
import { loadYaml, loadYamlWithHeader } from '#src/domain/ci/pipelines/config/yaml/load.ts';
import { writeYaml } from '#src/domain/ci/pipelines/config/yaml/write.ts';
import { DOTENV_LIMITS, parseDotenv } from '#src/domain/ci/reports/dotenv.ts';
import { parseJunit } from '#src/domain/ci/reports/junit.ts';
import { isCron, nextTime } from '#src/domain/ci/schedules/cron.ts';
import { Expansion, namesIn } from '#src/domain/ci/variables/expansion.ts';
import { BadRequest } from '#src/platform/errors.ts';
import { holds, type Target } from '../target.ts';

const YAML_PAIRS = [
  ['[', ']'],
  ['{', '}'],
  ['"', '"'],
  ["'", "'"],
  ['- ', '\n'],
  ['{a: ', '}'],
  ['? ', ': '],
] as const;

const YAML_WORDS = [
  ...['- ', ': ', ', ', '? ', '\n', '\n  ', '\n- ', '\n\n', '#', ' # ', '|', '>', '|+', '>-', '|2', '---', '...', '\t'],
  ...[
    '&a',
    '*a',
    '<<: *a',
    '!reference',
    '!!str',
    '!!map',
    '!!int',
    '!!binary',
    '!<tag:yaml.org,2002:map>',
    '%YAML 1.2',
  ],
  ...[
    'null',
    '~',
    'true',
    'no',
    '0x1f',
    '0o17',
    '1e3',
    '.inf',
    '.nan',
    '2026-11-30',
    '"\\x41"',
    '"\\u263a"',
    '\\',
    "''",
  ],
];

const YAML_SEEDS = [
  'a: 1\nb: [x, "y", \'z\']\nc: {d: e}\n',
  'base: &a\n  k: v\n  l:\n    - 1\n    - two\nother:\n  <<: *a\n  m: |\n    text\n     more\n  n: >-\n    folded\n    lines\n',
  '- !reference [job, script]\n- ? complex\n  : value\n- ? [a]\n- "a\\n\\x41\\u263a\\\n   b"\n',
  '%YAML 1.2\n---\nspec:\n  inputs:\n    a:\n      default: b\n---\njob: {script: $[[ inputs.a ]]}\n',
  '!!map {? a : b, "c": !!str 1, d: !!int "0x10"}\n',
];

const CONFIGS = [
  `stages: [build, test]
default:
  image: {name: "node:24", entrypoint: [""]}
  retry: {max: 2, when: [runner_system_failure, script_failure]}
  cache: {key: {files: [a.lock], prefix: $X}, paths: [node_modules/], policy: pull-push}
variables:
  A: b
  C: {value: "$A x", description: d, options: ["1", "2"], expand: false}
workflow:
  name: $CI_COMMIT_REF_NAME
  rules:
    - if: $CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH =~ /^main$/
      variables: {D: e}
    - when: never
.base: &base
  before_script: [echo a]
  tags: [docker]
one:
  extends: .base
  stage: build
  script: [echo "$A", !reference [.base, before_script]]
  artifacts: {paths: [out/], expire_in: 1 week, reports: {junit: r.xml, dotenv: e.env}, when: always}
  coverage: '/\\d+%/'
  rules:
    - changes: {paths: ["src/**/*"], compare_to: main}
      exists: [Dockerfile]
      allow_failure: {exit_codes: [1, 2]}
    - if: '$X == null || ($Y != "a" && $Z !~ /b.c/i)'
      when: delayed
      start_in: 5 minutes
two:
  <<: *base
  stage: test
  needs: [{job: one, artifacts: false, optional: true}]
  parallel: {matrix: [{P: [a, b], Q: c}]}
  services: [{name: postgres, alias: db, variables: {X: y}}]
  script: make
  only: {refs: [main, /^v/, tags], variables: [$X], changes: ["*.md"]}
  environment: {name: review/$CI_COMMIT_REF_SLUG, url: "https://x", on_stop: three, auto_stop_in: 1 day}
three: {script: x, when: manual, environment: {name: review/$CI_COMMIT_REF_SLUG, action: stop}, except: [schedules]}
`,
  `include:
  - local: /a.yml
    rules: [{if: $A}]
  - {project: g/p, ref: main, file: [b.yml, c.yml], inputs: {x: 1}}
  - template: Auto-DevOps.gitlab-ci.yml
job: {script: a, interruptible: true, timeout: 1h 30m, resource_group: r, secrets: {}, id_tokens: {T: {aud: b}}}
`,
  `job:
  trigger: {project: a/b, branch: c, strategy: depend, forward: {pipeline_variables: true}}
release:
  script: x
  release: {tag_name: v1, description: d, assets: {links: [{name: a, url: "https://b"}]}, milestones: [m]}
pages: {script: x, pages: {publish: public}, artifacts: {paths: [public]}}
`,
  `spec:
  inputs:
    env: {default: a, options: [a, b], type: string, regex: /^a/}
    n: {type: number}
---
"job-$[[ inputs.env | expand_vars | truncate(0,3) ]]": {script: "$[[ inputs.n ]]"}
`,
];

const CONFIG_WORDS = [
  ...[
    'script: ',
    'stage: ',
    'extends: ',
    'rules: ',
    'if: ',
    'when: ',
    'needs: ',
    'variables: ',
    'include: ',
    'only: ',
    'except: ',
  ],
  ...[
    'artifacts: ',
    'cache: ',
    'parallel: ',
    'matrix: ',
    'trigger: ',
    'environment: ',
    'image: ',
    'services: ',
    'default: ',
  ],
  ...[
    'workflow: ',
    'changes: ',
    'exists: ',
    'paths: ',
    '!reference [one, script]',
    '$[[ inputs.env ]]',
    '$CI_COMMIT_BRANCH',
    '${A}',
  ],
  ...[
    'job:',
    '.base',
    'one',
    'two',
    'never',
    'manual',
    'always',
    'null',
    '[]',
    '{}',
    '"',
    'retry: ',
    'tags: ',
    'coverage: ',
    'inherit: ',
  ],
  ...[
    'secrets: ',
    'release: ',
    'pages: ',
    'hooks: ',
    'id_tokens: ',
    'timeout: ',
    '10000',
    '-1',
    '1.5',
    '&a',
    '*a',
    '<<: ',
  ],
];

const known = { weak: { CI_COMMIT_BRANCH: 'main', A: '$B', CI_PIPELINE_SOURCE: 'push' }, strong: { S: '${A} $$' } };

/** Reads a file until nothing is missing: files that it includes are other files of CI. */
function plan(text: string, isForPush: boolean): void {
  const origin = { ref: 'main', tag: false, source: 'push', project: 'group/project' } as const;
  const request = { text, origin: isForPush ? origin : null, known, inputs: { n: 1 }, wantsMerged: true };
  const answer: PlanAnswer = planOf({ ...request, answers: new Map() });
  if ('plan' in answer && answer.plan.merged !== null) loadYaml(answer.plan.merged);
}

const JUNIT = `<?xml version="1.0" encoding="UTF-8"?>
<!-- c --><testsuites name="a"><testsuite name="s" tests="2"><testcase classname="c" name="n" time="1.5" file="f">
<failure message="m" type="t"><![CDATA[x < y]]></failure></testcase>
<testcase name="&lt;&#65;&#x42;"><skipped/><system-out>[[ATTACHMENT|a.png]]</system-out></testcase><testcase name="e"><error>b</error></testcase></testsuite></testsuites>`;

export const targets: Target[] = [
  {
    name: 'ci.yaml',
    seeds: [...YAML_SEEDS, ...CONFIGS],
    words: YAML_WORDS,
    pairs: YAML_PAIRS,
    refusals: [InvalidConfig],
    read(input) {
      const value = loadYaml(input.toString());
      // What is written must mean the same.
      const isPlain = value === null || (typeof value === 'object' && !JSON.stringify(value).includes('"path"'));
      const written = isPlain ? writeYaml(value as never) : null;
      if (written === null || written.length > 500_000) return;
      let again: unknown;
      try {
        again = loadYaml(written);
      } catch (error) {
        // Limits count what is written out of aliases and merges.
        if (/more than/.test((error as Error).message)) return;
        throw new Error(`What was written cannot be read: ${(error as Error).message}`);
      }
      holds(JSON.stringify(again) === JSON.stringify(value), 'What is written as YAML is read as something else');
    },
  },
  {
    name: 'ci.header',
    seeds: [...YAML_SEEDS, ...CONFIGS.slice(3)],
    words: YAML_WORDS,
    pairs: YAML_PAIRS,
    refusals: [InvalidConfig],
    read: (input) => loadYamlWithHeader(input.toString()),
  },
  {
    name: 'ci.config',
    seeds: CONFIGS,
    words: [...CONFIG_WORDS, ...YAML_WORDS],
    pairs: YAML_PAIRS,
    refusals: [InvalidConfig],
    // In a thread that may take four seconds.
    milliseconds: 400,
    read: (input) => plan(input.toString(), input.length % 2 === 0),
  },
  {
    name: 'ci.expression',
    seeds: ['$A == "b" && ($C =~ /^x.*$/i || $D != null)', "'a' !~ /b\\/c/ && true", '$A', '($A)'],
    words: ['$A', ' == ', ' != ', ' =~ ', ' !~ ', '&&', '||', 'null', 'true', '/a/', '"b"', '(', ')', "'"],
    pairs: [
      ['(', ')'],
      ['/', '/'],
      ['"', '"'],
    ],
    read(input) {
      const found = readExpression(input.toString());
      if (found) variablesIn(found);
    },
  },
  {
    name: 'ci.pattern',
    seeds: [
      '/^(?i)a(?>b|c)++[[:alpha:]\\h]\\k<n>$/imx',
      '/(?<n>a)|(?:b){2,3}?(?#c)\\z/',
      '/[^\\]a-z]\\p{L}\\R/m',
      '/(?mi-x:a b)# c/x',
    ],
    words: [
      '(?<n>',
      '(?:',
      '(?=',
      '(?<!',
      '(?>',
      '(?i)',
      '(?#',
      '[[:digit:]]',
      '\\h',
      '\\k<n>',
      '\\1',
      '{1,2}',
      '++',
      '*?',
      '\\A',
      '\\z',
      '|',
      '/i',
    ],
    pairs: [
      ['(', ')'],
      ['[', ']'],
      ['(?:', ')'],
      ['(?>', ')*'],
    ],
    read(input) {
      const found = patternParts(input.toString());
      if (!found) return;
      try {
        new RegExp(found.source, found.flags);
      } catch (error) {
        // The result may be invalid, as its docs say.
        if (!(error instanceof SyntaxError)) throw error;
      }
    },
  },
  {
    name: 'ci.glob',
    seeds: ['src/**/*.ts\nsrc/a/b.ts', '{a,b}/[!c]?.md\na/d1.md', '**/*\na', 'a/**\\*.x\na'],
    words: ['**', '*', '?', '[a-z]', '[!', '{a,b}', '{1..9}', '!(a)', '@(a|b)', '+(a)', '/', '\n', '\\'],
    pairs: [
      ['{', '}'],
      ['[', ']'],
      ['(', ')'],
      ['{a,', '}'],
      ['*(', ')'],
    ],
    read(input) {
      const [pattern = '', ...paths] = input.toString().split('\n');
      isGlob(pattern);
      for (const path of paths.slice(0, 20)) matchesAny(path, [pattern.slice(0, 2_000)]);
    },
  },
  {
    name: 'ci.variables',
    seeds: ['A=$B ${C}\nB=x$$\nC=$A', 'A=${A_${B}}$1', 'A=$A$A'],
    words: ['$A', '${B}', '$$', '${A_${B}}', '\nC=', '=', '${', '}'],
    read(input) {
      const lines = input.toString().split('\n');
      const values = new Map(lines.map((line) => line.split('=', 2) as [string, string | undefined]));
      for (const mode of ['final', 'again'] as const) {
        const find = (name: string) => {
          const value = values.get(name);
          return value === undefined ? undefined : { value };
        };
        const expansion = new Expansion(find, mode);
        for (const name of [...values.keys()].slice(0, 50)) expansion.value(name);
      }
      namesIn(input.toString());
    },
  },
  {
    name: 'ci.dotenv',
    seeds: ['A=b\nC = d\r\n', 'A="x=y"\n\n'],
    words: ['=', '\n', '\r\n', 'A=', '"', '#', 'export '],
    refusals: [BadRequest],
    read: (input) => parseDotenv(input.subarray(0, DOTENV_LIMITS.bytes).toString()),
  },
  {
    name: 'ci.junit',
    seeds: [
      JUNIT,
      JUNIT.replaceAll('"', "'"),
      '<testsuite><testcase/></testsuite>',
      '<!DOCTYPE a [<!ENTITY b "c">]><testsuite>&b;</testsuite>',
    ],
    words: [
      '<testcase name="',
      '</testcase>',
      '<failure>',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '&lt;',
      '&#65;',
      '<?',
      '?>',
      '<!DOCTYPE',
      '/>',
      '="',
      'time="1e9"',
    ],
    pairs: [
      ['<testsuite>', '</testsuite>'],
      ['<a>', '</a>'],
      ['<!--', '-->'],
      ['<![CDATA[', ']]>'],
      ['<testcase name="a">', '</testcase>'],
    ],
    read: (input) => parseJunit(gzipSync(input, { level: 1 })),
  },
  {
    name: 'ci.junit_packed',
    seeds: [gzipSync(JUNIT), gzipSync(Buffer.alloc(100_000, '<testsuite>'))],
    read: (input) => parseJunit(input),
  },
  {
    name: 'ci.cron',
    seeds: ['0 4 * * *', '*/5 1-3,7 1,15 jan-mar mon', '@daily', '59 23 31 2 *', '0 0 29 2 0'],
    words: ['*', '/', '-', ',', ' ', 'mon', 'feb', '31', '0', '@weekly'],
    read(input) {
      const text = input.toString();
      for (const zone of ['UTC', 'America/St_Johns', 'Australia/Lord_Howe'])
        nextTime(text, zone, new Date(1e12 + input.length * 864e5));
      isCron(text);
    },
  },
  {
    name: 'ci.duration',
    seeds: ['42', '3 mins 4 sec', '2h20min', '6 mos 1 day', '3 weeks and 2 days', 'never', '1.5 years'],
    words: ['and', ',', ' ', 'days', 'mos', '1', '.5', 'y'],
    read: (input) => parseDuration(input.toString()),
  },
];
