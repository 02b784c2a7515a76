import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { commands, main } from '#src/entrances/cli/cli.ts';
import { explain } from '#src/entrances/cli/explain.ts';
import { manual } from '#src/entrances/cli/manual.ts';
import { AlreadyExists, ValidationFailed } from '#src/platform/errors.ts';
import { packageVersion } from '#src/platform/package_root.ts';

let said: { out: string; err: string };

beforeEach(() => {
  said = { out: '', err: '' };
  const keep = (stream: 'out' | 'err') => (text: unknown) => {
    said[stream] += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(keep('out'));
  vi.spyOn(process.stderr, 'write').mockImplementation(keep('err'));
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a wrong command line is told in two lines, on the standard error, with status 2', () => {
  test.each<[string, string, string]>([
    ['', 'no command given', 'gantry help'],
    ['fly', 'unknown command "fly"', 'gantry help'],
    ['serv', 'unknown command "serv"', 'Did you mean `gantry serve`?'],
    ['user', '"user" needs a subcommand', 'gantry help user'],
    ['user crate', 'unknown command "user crate"', 'Did you mean `gantry user create`?'],
    ['--fast', 'unknown option --fast', 'gantry help'],
    ['serve --ephemerl', 'unknown option --ephemerl', 'Did you mean --ephemeral?'],
    ['serve --whatever=secret', 'unknown option --whatever', 'gantry help serve'],
    ['serve now', 'unexpected argument "now"', 'gantry help serve'],
    ['serve --ephemeral=yes', '--ephemeral takes no value', 'gantry help serve'],
    ['user create', '--username is missing', 'gantry help user create'],
    ['user create --username', '--username needs a value', 'gantry help user create'],
    ['user create --username --admin', '--username needs a value', 'gantry help user create'],
    [
      'token create --user a --scopes api,all',
      '--scopes "all" is not one of api, read_api, read_user, read_repository, write_repository',
      'gantry help token create',
    ],
    [
      'token create --user a --scopes api --expires 2099-02-30',
      '--expires "2099-02-30" is not',
      'gantry help token create',
    ],
    ['token revoke --user a --id b', '--id "b" is not a number', 'gantry help token revoke'],
    ['jobs retry', '--id or --all is missing', 'gantry help jobs retry'],
    ['work --concurrency many', '--concurrency "many" is not', 'gantry help work'],
    ['work --queues A', '--queues: "A" is not the name of a queue', 'gantry help work'],
    ['import archive --into a --user b', 'name one FILE', 'gantry help import archive'],
    ['import archive a.tar.gz --into a', '--user is missing', 'gantry help import archive'],
    ['import github --user b', 'name one OWNER/NAME', 'gantry help import github'],
    ['import github a/b', '--user is missing', 'gantry help import github'],
    [
      'import github a/b --parts wiki,x --user a',
      'there is no part "x": name some of wiki,',
      'gantry help import github',
    ],
    [
      'import github a/b --parts wiki --without wiki',
      'give --parts or --without, not both',
      'gantry help import github',
    ],
    ['import gitlab a/* --name b --user a', '--name is for one project', 'gantry help import gitlab'],
    ['import gitea a/b --without-forks --user a', '--without-forks is for OWNER/*', 'gantry help import gitea'],
    ['import github a/b --token secret', 'unknown option --token', 'gantry help import github'],
    ['backup', 'name one FILE', 'gantry help backup'],
    ['backup verify', 'name a FILE', 'gantry help backup verify'],
    ['restore', 'name a FILE', 'gantry help restore'],
    ['help fly', 'unknown command "fly"', 'gantry help'],
  ])('gantry %s', async (line, what, hint) => {
    expect(await main(line.split(' ').filter((word) => word !== ''))).toBe(2);
    const lines = said.err.split('\n');
    expect(lines).toEqual([expect.stringContaining(`gantry: ${what}`), expect.stringContaining(hint), '']);
    expect(said.out).toBe('');
    expect(said.err).not.toContain('secret');
  });
});

describe('help', () => {
  test('every command has a page, and every page a command', () => {
    expect(Object.keys(manual).sort()).toEqual(Object.keys(commands).sort());
  });

  test.each(['help', '--help', '-h'])('gantry %s lists all commands', async (word) => {
    expect(await main([word])).toBe(0);
    for (const [name, { summary }] of Object.entries(manual))
      expect(said.out).toMatch(`  ${name.padEnd(24)} ${summary}`);
    expect(said.err).toBe('');
  });

  test.each(['help token create', 'token create --help', 'token create -h', 'help token'])(
    'gantry %s explains the options',
    async (line) => {
      expect(await main(line.split(' '))).toBe(0);
      expect(said.out).toContain('Usage: gantry token create --user USERNAME --scopes SCOPES');
      expect(said.out).toContain('--expires DATE');
      expect(said.out.includes('gantry token list')).toBe(line === 'help token');
    },
  );

  test.each(['-v', '--version', 'version'])('gantry %s prints the version', async (word) => {
    expect(await main([word])).toBe(0);
    expect(said.out).toBe(`${packageVersion()}\n`);
  });
});

describe('what the domain refuses is told by the names of the options', () => {
  test('all wrong values at once, one a line', () => {
    const error = new ValidationFailed({ email: ['is invalid'], expires_at: ['is invalid'] });
    const text = 'some values are not accepted:\n  --email is invalid\n  --expires is invalid';
    expect(explain(error, 'user create')).toEqual({ text, status: 1 });
  });

  test('what is taken already', () => {
    const error = new AlreadyExists('Email has already been taken', null, { email: ['has already been taken'] });
    expect(explain(error, 'user create')).toEqual({ text: '--email has already been taken', status: 1 });
  });

  test('files that cannot be read, without the words of Node', async () => {
    expect(await main(['backup', 'verify', '/nowhere/at/all'])).toBe(1);
    expect(said.err).toMatch(/^gantry: \/nowhere\/at\/all.*\n$/);
    expect(said.err).not.toMatch(/E[A-Z]{4,}/);
  });
});
