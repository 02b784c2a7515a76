import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Browser } from '../support/browser.ts';
import { sender } from '../support/http.ts';
import { startMailbox } from '../support/mailbox.ts';
import {
  gantry,
  printed,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
} from '../support/server_process.ts';

const mailbox = await startMailbox();
let data: string;
let remove: () => void;
let server: ServerProcess | undefined;

beforeEach(() => {
  const scratch = scratchDirectory();
  data = path.join(scratch.directory, 'data');
  remove = scratch.remove;
});

afterEach(async () => {
  if (server?.child.exitCode === null && server.child.signalCode === null) await server.end('SIGTERM');
  server = undefined;
  remove();
});

/** A browser for the server that runs just now. */
async function browsing(work: (visitor: Browser) => Promise<void>): Promise<void> {
  const { send, close } = sender(Number(new URL(server?.url ?? '').port));
  try {
    await work(new Browser(send));
  } finally {
    close();
  }
}

const graphql = async (query: string, variables: Record<string, unknown>, token?: string) => {
  const answer = await fetch(`${server?.url}/graphql`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'PRIVATE-TOKEN': token ?? printed(server?.output() ?? '', 'Private token') ?? '',
    },
    body: JSON.stringify({ query, variables }),
  });
  return (await answer.json()) as { data: Record<string, Record<string, unknown>>; errors?: unknown[] };
};

test('links for new passwords are printed while the server runs and while it is stopped', async () => {
  const env = settings(data);
  server = await startServer(env);
  const live = await gantry(['user', 'reset-link', '--username', 'Root'], env);
  expect(live.stdout.startsWith(`${server.url}/users/password/edit?token=`)).toBe(true);
  const { pathname, search } = new URL(live.stdout.trim());
  await browsing(async (visitor) => {
    await visitor.get(pathname + search);
    await visitor.follow();
    const fields = { new_password: 'chosen password', new_password_again: 'chosen password' };
    expect((await visitor.submit('/users/password/edit', fields)).headers.location).toBe('/users/sign_in');
    await visitor.follow();
    expect(visitor.page).toContain('Your password was changed. Sign in with the new one.');
    expect((await visitor.signIn('root', 'chosen password')).headers.location).toBe('/');
  });
  const missing = await gantry(['user', 'reset-link', '--username', 'nobody'], env);
  expect([missing.status, missing.stderr]).toEqual([1, 'gantry: There is no user nobody, or they are blocked.\n']);
  expect((await gantry(['user', 'reset-link'], env)).status).toBe(2);
  await server.end('SIGTERM');

  const stopped = await gantry(['user', 'reset-link', '--username', 'root'], { ...env, PORT: '8123' });
  expect(stopped.stdout).toMatch(/^http:\/\/127\.0\.0\.1:8123\/users\/password\/edit\?token=[\w-]{43}\n$/);
  const everywhere = { ...env, HOST: '0.0.0.0', PORT: '8123' };
  expect((await gantry(['user', 'reset-link', '--username', 'root'], everywhere)).stdout).toMatch(
    /^http:\/\/localhost:8123\/users/,
  );
  const named = { ...env, GANTRY_URL: 'https://code.example.org/' };
  expect((await gantry(['user', 'reset-link', '--username', 'root'], named)).stdout).toMatch(
    /^https:\/\/code\.example\.org\/users\/password\/edit\?token=/,
  );
  expect((await gantry(['user', 'reset-link', '--username', 'root'], env)).stderr).toContain('set GANTRY_URL or PORT');
});

test('two-factor authentication is switched off for who has lost everything', async () => {
  const env = settings(data);
  server = await startServer(env);
  const setUp = await graphql('mutation { setUpTwoFactor(input: {}) { secret } }', {});
  const { totp } = await import('../support/totp.ts');
  const enable =
    'mutation ($code: String!) { enableTwoFactor(input: {code: $code}) { user { twoFactorEnabled privateToken } } }';
  const enabled = await graphql(enable, { code: totp(String(setUp.data.setUpTwoFactor?.secret)) });
  expect(enabled.data.enableTwoFactor).toMatchObject({ user: { twoFactorEnabled: true } });
  const { privateToken } = (enabled.data.enableTwoFactor as { user: { privateToken: string } }).user;
  const off = () => gantry(['user', 'disable-two-factor', '--username', 'root'], env);
  expect((await off()).stdout).toBe('Two-factor authentication of root is disabled.\n');
  expect((await off()).stdout).toMatch(/^Nothing to do/);
  const viewer = await graphql('{ viewer { twoFactorEnabled recoveryCodesLeft } }', {}, privateToken);
  expect(viewer.data.viewer).toEqual({ twoFactorEnabled: false, recoveryCodesLeft: 0 });
});

test('mail that is wanted is sent, however often the server is killed before', async () => {
  const env = settings(data, { SMTP_URL: mailbox.url, MAIL_FROM: 'Gantry <gantry@example.org>' });
  mailbox.refusing = 1_000_000;
  server = await startServer(env);
  const query = 'mutation ($email: String!) { requestPasswordReset(input: {email: $email}) { accepted } }';
  expect((await graphql(query, { email: 'admin@example.com' })).data.requestPasswordReset).toEqual({ accepted: true });
  await server.end('SIGKILL');
  server = await startServer(env);
  await server.end('SIGKILL');
  mailbox.refusing = 0;
  server = await startServer(env);
  const patience = Date.now() + 90_000;
  while (mailbox.to('admin@example.com').length === 0 && Date.now() < patience) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const [mail] = mailbox.to('admin@example.com');
  expect(mail?.link.startsWith(`${server.url}/users/password/edit?token=`)).toBe(true);
  expect(server.output()).not.toContain(mail?.link.split('token=')[1]);
});

test('settings of mail that are wrong or come alone are named at the start', async () => {
  const alone = await gantry(['serve'], settings(data, { SMTP_URL: 'smtp://127.0.0.1' }));
  expect([alone.status, alone.stderr]).toEqual([1, expect.stringContaining('MAIL_FROM: is missing beside SMTP_URL')]);
  const other = await gantry(['serve'], settings(data, { MAIL_FROM: 'gantry@example.org' }));
  expect(other.stderr).toContain('SMTP_URL: is missing beside MAIL_FROM');
  const wrong = await gantry(['serve'], settings(data, { SMTP_URL: 'http://user:hidden@x', MAIL_FROM: 'nobody' }));
  expect(wrong.stderr).toContain('SMTP_URL: not a URL');
  expect(wrong.stderr).toContain('MAIL_FROM: "nobody" is neither');
  expect(wrong.stderr).not.toContain('hidden');
});
