// A credential helper of git that signs its user in as managers of credentials do: OAuth with PKCE in a browser, which
// comes back to a port of this machine, then refreshing. Arguments: a directory for its state, the address of the server and
// the ID of its application there; git adds what it wants.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const [directory, server, client, wanted] = process.argv.slice(2);
const kept = path.join(directory, 'tokens.json');

async function tokens(fields) {
  const body = new URLSearchParams({ client_id: client, ...fields });
  const answer = await fetch(`${server}/oauth/token`, { method: 'POST', body });
  return answer.ok ? answer.json() : null;
}

/** Has the user sign in; a browser finds the address to begin with in a file. */
async function signIn() {
  const back = Promise.withResolvers();
  const listener = createServer((request, response) => {
    response.end('You can close this page.');
    back.resolve(new URL(request.url, server).searchParams);
  });
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const redirect = `http://127.0.0.1:${listener.address().port}/`;
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: redirect,
    scope: 'read_repository write_repository',
    state: randomBytes(16).toString('hex'),
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  });
  writeFileSync(path.join(directory, 'begin'), `/oauth/authorize?${query}`);
  const given = await back.promise;
  listener.closeAllConnections();
  listener.close();
  if (given.get('state') !== query.get('state')) return null;
  const code = given.get('code') ?? '';
  return tokens({ grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: verifier });
}

async function credential() {
  if (!existsSync(kept)) return signIn();
  const { refresh_token: refresh } = JSON.parse(readFileSync(kept, 'utf8'));
  return tokens({ grant_type: 'refresh_token', refresh_token: refresh });
}

writeFileSync(path.join(directory, 'asked'), `${wanted} ${await text(process.stdin)}\n`, { flag: 'a' });
if (wanted === 'erase') rmSync(kept, { force: true });
if (wanted === 'get') {
  const got = await credential();
  if (got) {
    writeFileSync(kept, JSON.stringify(got));
    process.stdout.write(`username=oauth2\npassword=${got.access_token}\n`);
  }
}
