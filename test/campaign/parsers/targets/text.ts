import { parseJson, UnusableJson } from '#src/base/json.ts';
import { matchesPattern, parsePattern } from '#src/base/path_pattern.ts';
import { decodedUri, plainLetters, snakeCase, trimEnds } from '#src/base/text.ts';
import { isUtf8Encoded, wrongUtf8In } from '#src/base/utf8.ts';
import { pathFrom } from '#src/domain/namespaces/path_from.ts';
import { readTable } from '#src/domain/placeholder_users/read_table.ts';
import { parseCodeOwners } from '#src/domain/repository/code_owners/parse.ts';
import { readCodeQuery } from '#src/domain/repository/code_search/query.ts';
import { parsePointer } from '#src/domain/repository/lfs_pointer.ts';
import { readChangelogConfig } from '#src/domain/tracking/changelog/read_config.ts';
import { InvalidTemplate, renderTemplate } from '#src/domain/tracking/changelog/template.ts';
import { dueDate } from '#src/domain/tracking/quick_actions/due_date.ts';
import { labelTitles, milestoneTitle, usernames } from '#src/domain/tracking/quick_actions/names.ts';
import { mayHaveQuickActions, splitQuickActions, textOf } from '#src/domain/tracking/quick_actions/split.ts';
import { asDraft, asReady, toggleDraft } from '#src/domain/tracking/subjects/draft.ts';
import { formatDuration, parseDuration } from '#src/domain/tracking/subjects/duration.ts';
import { parseSuggestions } from '#src/domain/tracking/suggestions/parse.ts';
import { parsePublicKey } from '#src/domain/users/keys/parse.ts';
import { wantedRange } from '#src/platform/byte_range.ts';
import { DomainError } from '#src/platform/errors.ts';
import { redactUrl } from '#src/platform/observability/log.ts';
import { filledTemplate, TemplateFailed, wrongTemplate } from '#src/platform/outbound/json_template.ts';
import { holds, type Target } from '../target.ts';

const PAYLOAD = JSON.stringify({ project: { name: 'a"b\u2028' }, commits: [{ id: 'c', list: [1, null] }], n: 1 });

const ACTIONS = [
  'a\n/label ~bug ~"needs work"\n/assign @ann, @bob me\n/due in 2 days\n```\n/close\n```\n/estimate 1w 2d\n',
  '>>>\n/close\n>>>\n/milestone %"next version"\n/spend -1h 2026-11-30\n/shrug x\n/title new title\n/cc @a\n',
  '/due tomorrow\n/due 30 November 2026\n/due next friday\n/due 2026-02-30\n/due in a week\n/relate #1 group/p#2\n',
];

export const targets: Target[] = [
  {
    name: 'text.json',
    seeds: ['{"a":[1,2.5e3,"\\u00e9\\"",null,true],"b":{"c":{}}}', '[]', '"\\ud83d\\ude00"'],
    words: ['{"a":', '[', ',', '"', '\\', '\\u0000', '1e400', 'null', '}', ']'],
    pairs: [
      ['[', ']'],
      ['{"a":', '}'],
      ['"', '"'],
    ],
    refusals: [UnusableJson],
    read(input) {
      const value = parseJson(input);
      holds(JSON.stringify(value) === JSON.stringify(JSON.parse(input.toString())), 'JSON is read as something else');
    },
  },
  {
    name: 'text.path_pattern',
    seeds: ['/src/**/*.ts\nsrc/a/b.ts', 'docs/\ndocs/a', '*.[!a-c]?\nx.de', 'a\\*b\na*b', '**/a/**/b\nx/a/y/b'],
    words: ['**', '/**/', '*', '?', '[a-z]', '[!', '\\', '/', '\n', 'a'],
    read(input) {
      const [pattern = '', ...paths] = input.toString().split('\n');
      const parsed = parsePattern(pattern.slice(0, 255));
      for (const path of paths.slice(0, 10)) matchesPattern(parsed, path.slice(0, 4096));
    },
  },
  {
    name: 'text.code_owners',
    seeds: [
      '# c\n* @a b@c.d\n/docs/ @group/sub\n[Section][2] @x\n^[Optional] @@maintainer\n*.rb\n!*.md\n\\#a @b\na\\ b @c\n',
      '[A\n[B][x]\n[]\n* nobody\n',
    ],
    words: ['[', ']', '^[', '][2]', '@a', '@@owner', 'a@b.c', '*', '**', '/', '\\ ', '\n', '!', '#', ' '],
    read: (input) => parseCodeOwners(input.toString()),
  },
  {
    name: 'text.code_query',
    seeds: [
      'foo "bar baz" /a.*b/ -path:src/*.ts lang:ruby',
      'extension:md -"x\\"y" symbol:Foo file:a*b',
      '-/re{2}/ filename:x',
    ],
    words: ['path:', 'lang:', '-', '"', '/', '\\', 'symbol:', 'extension:', ' ', '{99}', '(?', '*'],
    pairs: [
      ['"', '"'],
      ['/', '/'],
      ['(', ')'],
    ],
    refusals: [DomainError],
    read: (input) => readCodeQuery(input.toString()),
  },
  {
    name: 'text.quick_actions',
    seeds: ACTIONS,
    words: [
      '\n/label ',
      '\n/assign ',
      '\n/due ',
      '~',
      '~"',
      '%',
      '@',
      '```',
      '~~~',
      '>>>',
      '\n',
      '\r\n',
      'in 2 days',
      'next ',
      '/shrug',
      '/close',
      'tomorrow',
    ],
    pairs: [
      ['```\n', '\n```\n'],
      ['~"', '"'],
    ],
    read(input) {
      const text = input.toString();
      if (!mayHaveQuickActions(text)) return;
      const split = splitQuickActions(text);
      textOf(split, new Map());
      for (const { argument } of split.actions) {
        const day = dueDate(argument, new Date('2026-11-30T12:00:00Z'));
        holds(day === null || /^\d{4}-\d{2}-\d{2}$/.test(day), `A due date is ${day}`);
        labelTitles(argument);
        milestoneTitle(argument);
        usernames(argument);
        parseDuration(argument);
      }
    },
  },
  {
    name: 'text.due_date',
    seeds: [
      'tomorrow',
      'in 2 days',
      '30 November 2026',
      'next friday',
      'Nov 30',
      '2026-11-30',
      '30.11.2026',
      'in a week',
      'end of month',
    ],
    words: [
      'in ',
      'next ',
      'this ',
      'last ',
      'days',
      'weeks',
      'months',
      'years',
      'monday',
      'january',
      '31',
      '2026',
      ' ',
      ',',
      '/',
      '-',
      'st',
      '999999999',
    ],
    read(input) {
      const day = dueDate(input.toString(), new Date('2026-11-30T12:00:00Z'));
      holds(
        day === null || (/^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day))),
        `A due date is ${day}`,
      );
    },
  },
  {
    name: 'text.time',
    seeds: ['3h30m', '1w 2d', '-1h', '90', '1 month, 2 weeks and 3 days', '1.5h'],
    words: ['mo', 'w', 'd', 'h', 'm', 's', ' ', ',', 'and ', '.5', '-'],
    read(input) {
      const seconds = parseDuration(input.toString());
      if (seconds === null || !Number.isSafeInteger(seconds) || seconds === 0) return;
      const written = formatDuration(seconds);
      holds(written !== null && parseDuration(written) === seconds, `${seconds} seconds are written ${written}`);
    },
  },
  {
    name: 'text.suggestions',
    seeds: ['a\n```suggestion:-1+2\nnew\n```\nb', '~~~suggestion\nx\n~~~\n````suggestion:-0+0\n```\n````'],
    words: ['```suggestion', ':-1+1', '\n', '```', '~~~', '````', ' '],
    read: (input) => parseSuggestions(input.toString()),
  },
  {
    name: 'text.draft',
    seeds: ['Draft: a', 'WIP: [Draft] (draft) b', '[WIP]c'],
    words: ['Draft:', '[Draft]', '(Draft)', 'WIP', ' ', 'draft - '],
    read(input) {
      const title = input.toString().slice(0, 1024);
      asReady(asDraft(title));
      toggleDraft(title);
    },
  },
  {
    name: 'text.public_key',
    seeds: [
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl a@b',
      'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg= x',
    ],
    words: ['ssh-rsa ', 'AAAA', '=', ' ', 'ssh-ed25519 ', 'sk-ssh-ed25519@openssh.com '],
    refusals: [DomainError],
    read: (input) => parsePublicKey(input.toString()),
  },
  {
    name: 'text.table',
    seeds: [
      'Source host,Source user identifier,GitLab username,GitLab public email\nhttps://a,1,@b,\n"x ""y""",2,,c@d\n',
      'source host;source user identifier;gitlab username;gitlab public email\r\na;b;c;d\r\n',
    ],
    words: [',', '"', '""', '\n', '\r\n', ';', '\t', "'=1+1"],
    pairs: [['"', '"']],
    refusals: [DomainError],
    read: (input) => readTable(input),
  },
  {
    name: 'text.lfs_pointer',
    seeds: [`version https://git-lfs.github.com/spec/v1\noid sha256:${'4d'.repeat(32)}\nsize 12345\n`],
    words: ['\n', 'ext-0-foo sha256:', 'size ', 'oid sha256:', 'version '],
    read: (input) => parsePointer(input.toString()),
  },
  {
    name: 'text.webhook_template',
    seeds: ['{"a":"{{project.name}}","b":{{commits.0.list}},"c":{{ n }}}', '{"x":"{{commits}}"}', '{{project}}'],
    words: ['{{', '}}', '{{project.name}}', '{{commits.0.id}}', '"', ':', ',', '{{__proto__}}', '{{constructor.name}}'],
    pairs: [
      ['[', ']'],
      ['{"a":', '}'],
    ],
    refusals: [TemplateFailed],
    read(input) {
      const template = input.toString();
      if (wrongTemplate(template).length > 0) return;
      JSON.parse(filledTemplate(template, PAYLOAD));
    },
  },
  {
    name: 'text.changelog_template',
    seeds: [
      '{% if categories %}\n{% each categories %}\n### {{ title }} ({% if single_change %}{{ count }}{% else %}n{% end %})\n\n{% each entries %}\n- [{{ title }}]({{ commit.reference }})\\\n{% end %}\n\n{% end %}\n{% else %}\nNo changes.\n{% end %}',
    ],
    words: [
      '{% if a %}',
      '{% else %}',
      '{% end %}',
      '{% each a %}',
      '{{ a.b }}',
      '{{ it }}',
      '{%',
      '%}',
      '{{',
      '}}',
      '\\\n',
    ],
    pairs: [
      ['{% if categories %}', '{% end %}'],
      ['{% each categories %}', '{% end %}'],
      ['{{ ', ' }}'],
    ],
    refusals: [InvalidTemplate],
    milliseconds: 300,
    read: (input) =>
      renderTemplate(input.toString(), {
        categories: [
          { title: 'a', count: '1', single_change: true, entries: [{ title: 'b', commit: { reference: 'c' } }] },
        ],
      } as never),
  },
  {
    name: 'text.changelog_config',
    seeds: [
      'date_format: "%Y-%m-%d"\ncategories:\n  feature: Features\ntemplate: |\n  {{ title }}\ntag_regex: \'^v(?P<major>\\d+)\\.(?P<minor>\\d+)\\.(?P<patch>\\d+)$\'\ninclude_groups: [a]\n',
    ],
    words: ['date_format: ', 'tag_regex: ', '(?P<major>', 'categories: ', '%Y', '\n'],
    milliseconds: 400,
    read: (input) => readChangelogConfig(input.toString(), ['v1.2.3', 'v1.2.4-rc1', 'x']),
  },
  {
    name: 'text.byte_range',
    seeds: ['bytes=0-9', 'bytes=-5', 'bytes=3-', 'bytes=0-1,3-4'],
    words: ['bytes=', '-', ',', '99999999999999999999'],
    read(input) {
      const found = wantedRange({ method: 'GET', headers: { range: input.toString() } }, 10, null);
      if (!found) return;
      const { start, end } = found;
      holds(start >= 0 && end < 10 && start <= end, `Bytes ${start} to ${end} of ten`);
    },
  },
  {
    name: 'text.names',
    seeds: ['Größe & Maß -_ x', '/a//b/', 'fooBarBaz', '%E4%20%', '/x?private_token=abc&b=c', 'a%00b'],
    words: ['private_token=', '?', '&', '%', '/', '-', '_'],
    read(input) {
      const text = input.toString();
      const path = pathFrom(text);
      holds(/^[\w.-]*$/.test(path), `A path is ${path}`);
      trimEnds(text, '/');
      snakeCase(text);
      decodedUri(text);
      plainLetters(text);
      redactUrl(text);
      isUtf8Encoded(text);
      wrongUtf8In(text);
    },
  },
];
