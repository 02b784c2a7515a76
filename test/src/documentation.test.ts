import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { parseConfig } from '#src/domain/ci/pipelines/config/parse.ts';
import { signatureHeaders } from '#src/domain/webhooks/sign.ts';
import { findCommand, optionsOf } from '#src/entrances/cli/help.ts';
import { manual } from '#src/entrances/cli/manual.ts';
import { loadConfig } from '#src/platform/config/config.ts';
import { packagePath, packageRoot, packageVersion } from '#src/platform/package_root.ts';
import { references, withReference } from '../../scripts/reference.ts';
import {
  anchorsOf,
  blocksOf,
  commandsOf,
  documents,
  inlineCommands,
  isForShell,
  linkedDocuments,
  linksOf,
  readDocument,
  requireShown,
  shownCommands,
  withoutGaps,
} from '../support/documentation.ts';
import { LONG } from '../support/long.ts';
import { run } from '../support/server_process.ts';

const AS_ROOT =
  'They change the whole machine, as root: test/src/deploy_files.test.ts tries the files that they install.';

/** What runs or reads the blocks of each section: a test, which names the document, or a sentence that says why nothing does. */
const LOOKED_AT: Record<string, Record<string, string>> = {
  'README.md': {
    Start: 'test/system/documentation.test.ts',
    Test: 'The script .ci/run begins with it.',
    'A first tour': 'test/system/documentation.test.ts',
    'In the test suite of a client': 'test/system/package.test.ts',
  },
  'CONTRIBUTING.md': {
    'Set up': 'test/system/documentation.test.ts',
    Test: 'They run the tests: the script .ci/run does, and the files and scripts that they name are looked for here.',
  },
  'docs/backup.md': {
    'Backup and restore': 'test/system/documentation.test.ts',
    'Every night': 'test/system/documentation.test.ts',
    'Only what is new': 'test/system/documentation.test.ts',
    Verify: 'test/system/documentation.test.ts',
    'The format': 'test/system/documentation.test.ts',
  },
  'docs/cli.md': Object.fromEntries(
    Object.keys(manual).map((name) => [`gantry ${name}`, 'test/system/documentation.test.ts']),
  ),
  'docs/graphql.md': {
    Authentication: 'test/schema/graphql_doc.test.ts',
    'The client for TypeScript': 'test/system/graphql_package.test.ts',
    'Twelve tasks': 'test/schema/graphql_doc.test.ts',
    Uploads: 'test/schema/graphql_doc.test.ts',
    'Partial answers': 'test/schema/graphql_doc.test.ts',
    'Persisted documents': 'test/schema/graphql_doc.test.ts',
    'Cost and limits': 'test/schema/graphql_doc.test.ts',
    'Ten screens': 'test/schema/screens.test.ts',
    Subscriptions: 'test/schema/graphql_doc.test.ts',
  },
  'docs/appearance.md': {
    Appearance: 'The request is one of those that test/rest/appearance.test.ts sends.',
    'Broadcast messages': 'The request is one of those that test/rest/broadcast_messages.test.ts sends.',
  },
  'docs/editors.md': { 'GitLens and GitKraken': 'GitLens runs in VS Code alone, and its connection is paid.' },
  'docs/faults.md': {
    Faults: 'campaigns that take long: the slices of test/system/power.test.ts and campaign.test.ts run with the tests',
  },
  'docs/feature-flags.md': {
    'Flags and strategies': 'The request is one of those that test/rest/feature_flags.test.ts sends.',
    'Configure an application': 'The program of test/system/unleash_client does that and more.',
  },
  'docs/files.md': { 'Over the API': 'The query is one of those that test/schema/files_in_depth.test.ts sends.' },
  'docs/graphql-clients.md': {
    'GraphQL clients': 'test/system/graphql_screens.test.ts',
    'Apollo Client': 'test/system/graphql_screens.test.ts',
    urql: 'test/system/graphql_screens.test.ts',
    Relay: 'test/system/graphql_screens.test.ts',
  },
  'docs/mcp.md': {
    'Connect an agent': 'test/mcp/mcp_doc.test.ts',
    'Try it': 'test/mcp/mcp_doc.test.ts',
  },
  'docs/install.md': {
    Install: AS_ROOT,
    Configure: 'test/src/deploy_files.test.ts',
    Start: 'test/src/deploy_files.test.ts',
    TLS: 'test/src/deploy_files.test.ts',
    Check: AS_ROOT,
    'Back up': 'test/src/deploy_files.test.ts',
    Upgrade: AS_ROOT,
    'With containers': 'It takes Docker and a domain; test/src/deployments.test.ts reads the file.',
  },
  'docs/campaigns.md': {
    Campaigns:
      'They take as long as they are let; slices of them run in test/system/campaign_parsers.test.ts and others.',
  },
  'docs/oauth.md': {
    'Register an application': 'test/system/documentation.test.ts',
    'Client credentials': 'test/system/documentation.test.ts',
    'Clients that register themselves': 'test/system/documentation.test.ts',
  },
  'docs/operating.md': {
    'Outages and restarts': 'test/system/rolling_restart.test.ts',
    Metrics: 'test/system/documentation.test.ts',
    'Checking repositories': 'test/system/documentation.test.ts',
    'Checking everything else: gantry doctor': 'test/system/documentation.test.ts',
  },
  'docs/mail-in.md': {
    'The address': 'The settings are those that test/rest/mail_in.test.ts starts servers with.',
    'From a mail server': 'No mail server is installed; test/system/mail_in.test.ts hands messages over as one does.',
    'From a mailbox': 'There is no mailbox; test/rest/mail_in_mailbox.test.ts reads one.',
  },
  'docs/moving-in.md': {
    'From an archive of GitLab': 'test/system/import_archive.test.ts',
    'From a running server': 'The requests are those that test/rest/import_github.test.ts sends.',
    'From GitLab': 'The request is one that test/rest/import_gitlab.test.ts sends.',
    'From Gitea and Forgejo': 'The request is the one that test/rest/import_gitea.test.ts sends.',
    'Groups from a running server': 'The request is the one that test/rest/bulk_imports.test.ts sends.',
    'Bringing a project up to date': 'The requests are those that test/rest/update_from_server.test.ts sends.',
    'Moving out': 'The request is the one that test/rest/gitlab_exports.test.ts sends.',
  },
  'docs/pages-sites.md': {
    Publishing: 'The job is one that test/system/sites.test.ts runs, but for what builds the site.',
    TLS: 'Caddy is not installed where tests run; test/rest/pages.test.ts asks what it asks.',
    Redirects: 'The rules are of the kinds that test/web/sites.test.ts follows.',
  },
  'docs/approvals.md': {
    'Code owners': 'It is a file of a repository; test/rest/code_owners.test.ts reads such files.',
  },
  'docs/search.md': { 'Over the API': 'test/rest/code_search.test.ts' },
  'docs/service-accounts.md': {
    Tokens: 'The server is not there; test/rest/service_accounts.test.ts sends the same.',
  },
  'docs/group-archives.md': {
    Use: 'The servers are not there; test/rest/group_archives.test.ts sends the same.',
  },
  'docs/snippets.md': {
    'Clone and push': 'The server is not there; test/rest/snippet_repositories.test.ts clones from such addresses.',
  },
  'docs/push-rules.md': { 'Push rules': 'It is what git says; test/rest/push_rules.test.ts pushes what is refused.' },
  'docs/runners.md': {
    'Register a runner': 'test/system/documentation.test.ts',
    'A runner of our own: gantry runner': 'test/system/documentation.test.ts',
  },
  'docs/scaling.md': { 'Several servers': 'It is a drawing.' },
  'docs/sign_in.md': { 'Signing in': 'test/src/sign_in_providers.test.ts' },
  'docs/testing-clients.md': {
    Install: 'test/system/package.test.ts',
    'From JavaScript': 'test/system/test_double.test.ts',
    'Start, wait, stop': 'test/system/seed.test.ts',
    'python-gitlab': 'test/system/seed.test.ts',
    '@gitbeaker/rest': 'test/system/seed.test.ts',
    'Ruby: the gem gitlab': 'test/system/seed.test.ts',
    Go: 'Only its recipe is run, by test/system/recipes.test.ts, where Go is installed.',
    glab: 'It cannot be had here: it is not among the packages of Debian 12.',
    'curl and git': 'test/system/seed.test.ts',
    'In CI': 'test/system/seed.test.ts',
    Testcontainers: 'test/system/testcontainers.test.ts',
  },
  'docs/upgrading.md': { 'Upgrading PostgreSQL': 'test/system/upgrade.test.ts' },
  'docs/webhooks.md': {
    Requests:
      'It is a request of the server: test/rest/hook_events.test.ts holds payloads against the changes that they tell of.',
    'Verify the signature': 'test/src/documentation.test.ts',
  },
};

describe('The blocks of the documents', () => {
  const blocks = documents.flatMap((file) => blocksOf(file));
  const shell = blocks.filter(isForShell).flatMap(shownCommands);

  it('are all run or read by a test, or it is said here why not', () => {
    const found: Record<string, Set<string>> = {};
    for (const { file, section } of blocks) found[file] = new Set([...(found[file] ?? []), section]);
    const known = Object.fromEntries(Object.entries(LOOKED_AT).map(([file, by]) => [file, new Set(Object.keys(by))]));
    expect(found).toEqual(known);
    for (const [file, sections] of Object.entries(LOOKED_AT))
      for (const by of Object.values(sections).filter((text) => text.startsWith('test/')))
        expect(readFileSync(packagePath(by), 'utf8').includes(path.basename(file)), `${by} names ${file}`).toBe(true);
    expect(readFileSync(packagePath('.ci/run'), 'utf8')).toContain(commandsOf('README.md', 'Test')[0]?.command);
  });

  it('are read by bash without an error where they are for a shell', async () => {
    expect(shell.length).toBeGreaterThan(40);
    const script = shell.map(({ command }) => command).join('\n');
    expect(await run('/bin/bash', ['-n', '-c', script], {})).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('are JSON, YAML and jobs of pipelines where they say so', () => {
    for (const { language, text } of blocks) {
      if (language === 'json') JSON.parse(withoutGaps(text));
      if (language === 'yaml') parseYaml(text, { strict: true });
    }
    const pipelines = blocks.filter(({ language, text }) => language === 'yaml' && /^ {2}script:/m.test(text));
    expect(pipelines.length).toBeGreaterThan(0);
    for (const { text } of pipelines) expect(() => parseConfig(text)).not.toThrow();
  });

  it('name the version that there is', () => {
    const versions = blocks
      .flatMap(({ text }) => [...text.matchAll(/gantry-(?:server-graphql-)?(\d[\w.-]*)\.tgz/g)])
      .map(([, one]) => one);
    expect(versions.length).toBeGreaterThan(2);
    expect(new Set(versions)).toEqual(new Set([packageVersion()]));
  });
});

describe('Commands in the documents', () => {
  const all = documents.flatMap((file) => [
    ...inlineCommands(file).map((command) => ({ file, command })),
    ...blocksOf(file).flatMap(({ text }) => text.split('\n').map((command) => ({ file, command }))),
  ]);

  it('have names and options that there are, if they are those of gantry', () => {
    const lines = all.flatMap(({ file, command }) =>
      [...command.matchAll(/(?:^|\$ |&& |npx (?:--\S+ )*(?:\S+\.tgz )?)gantry( .*?)(?= [|>#&;]|$)/g)].map(
        ([, words = '']) => ({ file, words: words.trim().split(/[ [\]]+/) }),
      ),
    );
    expect(lines.length).toBeGreaterThan(55);
    for (const { file, words } of lines) {
      const [first = ''] = words;
      if (first.startsWith('-') || first === 'help' || first === '…' || isGroup(first, words)) continue;
      const name = words.filter((word) => !word.startsWith('-'));
      const { name: command } = findCommand(name);
      const options = words.filter((word) => word.startsWith('--')).map((word) => word.replace(/=.*/, ''));
      for (const option of options) expect(optionsOf(command), `${file}: gantry ${words.join(' ')}`).toContain(option);
    }
  });

  it('are scripts and files that there are, if they are those of npm, node and git', async () => {
    const { scripts } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
    const git = await run('git', ['--list-cmds=main'], {});
    const commandsOfGit = git.stdout.split('\n');
    for (const { file, command } of all) {
      const about = `${file}: ${command}`;
      for (const [, script] of command.matchAll(/npm run ([\w:]+)/g))
        expect(scripts, about).toHaveProperty([script ?? '']);
      for (const [, script] of command.matchAll(/npm (start|test)\b/g))
        expect(scripts, about).toHaveProperty([script ?? '']);
      for (const [name] of command.matchAll(/\b(bin|scripts|test)\/[\w/.-]+\.[jt]s\b/g))
        expect(existsSync(packagePath(name)), about).toBe(true);
      const [, word] = /^(?:\$ )?git (?:-C \S+ |--git-dir=\S+ )?([a-z][\w-]*)/.exec(command) ?? [];
      if (word && !OF_THE_PROTOCOL.includes(word)) expect(commandsOfGit, about).toContain(word);
    }
  });
});

/** `git info/refs` and others are names of routes. */
const OF_THE_PROTOCOL = ['info', 'git-upload-pack', 'git-receive-pack'];

/** Whether all commands that begin with the word are meant. */
function isGroup(first: string, words: readonly string[]): boolean {
  return first === 'runner' && words.length === 1;
}

/** What stands in the code spans of a document, outside of its blocks. */
function codeOf(file: string): string[] {
  const prose = readDocument(file).replace(/^```\w*\n.*?^```$/gms, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

describe('What documents name', () => {
  it('are files and folders that there are', () => {
    const named = documents
      .filter((file) => file !== OF_SAMPLES)
      .flatMap((file) =>
        codeOf(file).flatMap((code) => {
          const [, name] =
            /^((?:src|schema|rest|pages|mcp|test|scripts|prisma|texts|docs|bin|deploy|charts)\/[\w./-]*\w)$/.exec(
              code,
            ) ?? [];
          return name === undefined ? [] : [{ file, name }];
        }),
      );
    expect(named.length).toBeGreaterThan(60);
    const missing = named.filter(
      ({ name }) => !existsSync(packagePath(name)) && !MADE.some((made) => name.startsWith(made)),
    );
    expect(missing).toEqual([]);
  });

  it('are endpoints that there are', () => {
    const document = JSON.parse(readFileSync(packagePath('rest/openapi.json'), 'utf8')) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const known = Object.entries(document.paths).flatMap(([name, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${name.replace(/\{\w+\}/g, ':')}`),
    );
    const named = documents.flatMap((file) =>
      codeOf(file).flatMap((code) => {
        const [, method, name = ''] =
          /^(GET|POST|PUT|PATCH|DELETE) (?:\/api\/v4)?(\/(?:projects|groups|users|user|hooks|runners|application|applications|issues|merge_requests|snippets)(?:\/[:\w-]+)*)$/.exec(
            code,
          ) ?? [];
        return method === undefined ? [] : [{ file, name: `${method} /api/v4${name.replace(/:\w+/g, ':')}` }];
      }),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ name }) => ![...known, ...OF_RUNNERS].includes(name))).toEqual([]);
  });

  it('are the rooms of src, what follows changes, and the pages of administrators, all of them', () => {
    const text = readDocument('docs/architecture.md');
    for (const floor of ['entrances', 'access', 'platform']) {
      const [, row = ''] = new RegExp(`^\\| \`src/${floor}\` \\| ([^|]+)\\|`, 'm').exec(text) ?? [];
      const rooms = readdirSync(packagePath(`src/${floor}`), { withFileTypes: true }).filter((one) =>
        one.isDirectory(),
      );
      expect([...row.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(
        rooms.map(({ name }) => name).sort(),
      );
    }
    const followers = readFileSync(packagePath('src/entrances/server/followers.ts'), 'utf8');
    const files = [...followers.matchAll(/'#src\/(domain\/[\w/]+\.ts)'/g)].map(([, name]) => name);
    const told = [...text.matchAll(/^\| `(domain\/[\w/]+\.ts)` \|/gm)].map(([, name]) => name);
    expect(told.sort()).toEqual(files.filter((name) => name !== 'domain/changes/record.ts').sort());
    // What the README calls missing is missing.
    const [, missing = ''] = /^Not there yet: (.+)$/m.exec(readDocument('README.md')) ?? [];
    expect(missing).toContain('projects within archives of groups');
    const { paths } = JSON.parse(readFileSync(packagePath('rest/openapi.json'), 'utf8'));
    expect(Object.keys(paths)).toContain('/api/v4/groups/{id}/export');
    const kinds = readFileSync(packagePath('src/domain/group_archives/kinds.ts'), 'utf8');
    expect([...kinds.matchAll(/kind\('(\w+)'/g)].map(([, name]) => name)).not.toContain('projects');
  });

  it('are commands that run in a checkout as they stand there', LONG, async () => {
    const answer = await run('npx', ['gantry', '--version'], { cwd: packageRoot });
    expect(answer).toMatchObject({ status: 0, stdout: `${packageVersion()}\n` });
  });
});

/** Made by commands, and not in every checkout. */
const MADE = ['docs/.site/dist', 'src/generated'];

/** The document of the files of the sample data, which are in its repositories. */
const OF_SAMPLES = 'docs/testing-clients.md';

/** What runners alone send, which the document of the REST API leaves out. */
const OF_RUNNERS = ['DELETE /api/v4/runners/managers'];

it('The settings that the documents name are there', () => {
  const text = documents.map((file) => readDocument(file)).join('\n');
  const names = text.match(/\b(GANTRY|GRAPHQL_MAX|GRAPHQL_TRUSTED)_[A-Z_]*[A-Z]\b/g) ?? [];
  const settings = [...new Set(names)];
  expect(settings.length).toBeGreaterThan(40);
  const given = Object.fromEntries(settings.map((name) => [name, '']));
  expect(loadConfig(given, mkdtempSync(path.join(tmpdir(), 'gantry-settings-'))).warnings).toEqual([]);
});

it('The program in docs/webhooks.md finds out whether a webhook is genuine', async () => {
  const [program] = blocksOf('docs/webhooks.md').filter(({ language }) => language === 'js');
  const encoded = encodeURIComponent(`${program?.text}\nexport { isGenuine };`);
  const { isGenuine } = await import(`data:text/javascript,${encoded}`);
  const body = '{"object_kind":"push"}';
  const headers = signatureHeaders('a token', { id: 'id', at: Math.floor(Date.now() / 1000), body });
  expect(isGenuine(headers, body, 'a token')).toBe(true);
  expect(isGenuine(headers, `${body} `, 'a token')).toBe(false);
  expect(isGenuine(headers, body, 'another')).toBe(false);
  expect(isGenuine({ ...headers, 'webhook-signature': undefined }, body, 'a token')).toBe(false);
  const old = signatureHeaders('a token', { id: 'id', at: Math.floor(Date.now() / 1000) - 600, body });
  expect(isGenuine(old, body, 'a token')).toBe(false);
});

it.each(Object.entries(references))('%s has every setting or command as the code has it now', (file, reference) => {
  expect(withReference(readDocument(file), reference()), 'npm run generate').toBe(readDocument(file));
});

describe('Links', () => {
  it('lead to files, and to headings of documents, that there are', () => {
    const links = linkedDocuments.flatMap((file) => linksOf(file).map((link) => ({ file, link })));
    const own = links.filter(({ link }) => !/^[a-z]+:/.test(link));
    expect(own.length).toBeGreaterThan(150);
    const broken = own.filter(({ file, link }) => {
      const [place = '', anchor] = link.split('#');
      const target = place === '' ? file : path.join(path.dirname(file), place);
      if (!existsSync(packagePath(target))) return true;
      return anchor !== undefined && !anchorsOf(target).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('in docs/README.md reach every document', () => {
    const reached = linksOf('docs/README.md').map((link) => path.join('docs', link.replace(/#.*/, '')));
    expect(documents.filter((file) => !['docs/README.md', 'README.md', ...reached].includes(file))).toEqual([]);
  });
});

it('README.md is short, and its picture small', () => {
  expect(readDocument('README.md').split('\n').length - 1).toBeLessThanOrEqual(120);
  const pictures = linksOf('README.md').filter((link) => /\.(png|webp|svg)$/.test(link));
  expect(pictures).not.toEqual([]);
  for (const picture of pictures) expect(statSync(packagePath(picture)).size).toBeLessThan(150 * 1024);
});

describe('What a document shows of an answer', () => {
  it('is compared with the answer, in which there may be more', () => {
    const answer = '{"id":1,"name":"A…","list":[{"a":1,…},…],…}';
    const given = { id: 1, name: 'Apples', list: [{ a: 1, b: 2 }], more: true };
    requireShown('curl', answer, `HTTP/1.1 200 OK\r\n\r\n${JSON.stringify(given)}`);
    requireShown('curl', 'HTTP/1.1 200 OK\nLink: <…>; rel="first"', 'HTTP/1.1 200 OK\r\nLink: <a>; rel="first"\r\n');
    for (const wrong of [
      { ...given, id: 2 },
      { ...given, name: 'Pears' },
      { ...given, list: [{ b: 2 }] },
    ])
      expect(() => requireShown('curl', answer, JSON.stringify(wrong))).toThrow('curl');
    expect(() => requireShown('curl', 'HTTP/1.1 200 OK', 'HTTP/1.1 404 Not Found')).toThrow('curl');
  });
});
