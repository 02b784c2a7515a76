import type { RepositoryServer } from '../repository/server.ts';
import type { Attack } from './attack.ts';

const WRONG = 'wrong password';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'Content-Type': 'application/json' };

let made = 0;
/** A name that nobody has, another one each time. */
const newName = () => `nobody-${++made}`;

/** Floods of what takes a password, or leads to one. */
export const accountAttacks: Attack[] = [
  flood('POST /session, a known name', () => session('root')),
  flood('POST /session, another unknown name each time', () => session(newName())),
  flood('POST /session, a password of 700 KB', () => session('root', 'x'.repeat(700_000))),
  { name: 'sign-in page, wrong passwords', anonymous: true, prepare: (server) => signInPage(server) },
  flood('password grant, wrong passwords', () => ({
    path: '/oauth/token',
    headers: FORM,
    body: new URLSearchParams({ grant_type: 'password', username: 'root', password: WRONG }),
  })),
  flood('git, wrong passwords', () => ({
    method: 'GET',
    path: '/root/none.git/info/refs?service=git-upload-pack',
    headers: { Authorization: `Basic ${Buffer.from(`root:${WRONG}`).toString('base64')}` },
  })),
  flood('GraphQL, ten sign-ins in one operation', () =>
    graphql(aliased('signIn', `login: "root", password: "${WRONG}"`)),
  ),
  flood('GraphQL, requests for a new password', () =>
    graphql(`mutation { requestPasswordReset(input: {email: "${newName()}@example.org"}) { accepted } }`),
  ),
  flood('GraphQL, new passwords by links that were made up', () =>
    graphql(`mutation { resetPassword(input: {token: "${newName()}", newPassword: "another password"}) { changed } }`),
  ),
  flood('GraphQL, new accounts', () => {
    const name = newName();
    const account = `username: "${name}", name: "N", email: "${name}@example.org", password: "some password"`;
    return graphql(`mutation { signUp(input: {${account}}) { confirmationRequired } }`);
  }),
];

interface Sent {
  /** POST when absent. */
  method?: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string | URLSearchParams;
}

/** An attack that needs nothing to be prepared. */
function flood(name: string, next: () => Sent): Attack {
  return {
    name,
    anonymous: true,
    prepare:
      async ({ url }) =>
      () =>
        answerTo(url, next()),
  };
}

async function answerTo(url: string, { method = 'POST', path, ...sent }: Sent): Promise<string> {
  const response = await fetch(url + path, { method, redirect: 'manual', ...sent });
  const text = await response.text();
  const code = /"code":"(\w+)"/.exec(text)?.[1];
  return code === undefined ? String(response.status) : `${response.status} ${code}`;
}

function session(login: string, password = WRONG): Sent {
  return { path: '/api/v4/session', headers: JSON_BODY, body: JSON.stringify({ login, password }) };
}

function graphql(query: string): Sent {
  return { path: '/graphql', headers: JSON_BODY, body: JSON.stringify({ query }) };
}

function aliased(mutation: string, input: string): string {
  const one = (n: number) => `a${n}: ${mutation}(input: {${input}}) { __typename }`;
  return `mutation { ${Array.from({ length: 10 }, (_, n) => one(n)).join(' ')} }`;
}

/** The form comes from the page once; its token and cookie are good for as many attempts as one likes. */
async function signInPage({ url }: RepositoryServer): Promise<() => Promise<string>> {
  const page = await fetch(`${url}/users/sign_in`);
  const token = /name="authenticity_token" value="([^"]*)"/.exec(await page.text())?.[1] ?? '';
  const Cookie = page.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
  const form = { authenticity_token: token, login: 'root', password: WRONG };
  const body = new URLSearchParams(form).toString();
  return () => answerTo(url, { path: '/users/sign_in', headers: { ...FORM, Cookie }, body });
}
