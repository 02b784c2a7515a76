// A web server that signs people in with their Gantry account, and reads their projects (docs/oauth.md).
//
//   ISSUER=https://git.example.com CLIENT_ID=… CLIENT_SECRET=… node web.js
//
// Register it as confidential, with the redirect URI http://localhost:3000/callback and the scopes openid, email and read_api.
import { randomUUID } from 'node:crypto';
import express from 'express';
import * as client from 'openid-client';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT = '3000', URL: home = `http://localhost:${PORT}` } = process.env;
const issuer = new URL(ISSUER);
// Plain http is for servers of this machine, such as those of tests.
const options = issuer.protocol === 'http:' ? { execute: [client.allowInsecureRequests] } : {};
const config = await client.discovery(
  issuer,
  CLIENT_ID,
  CLIENT_SECRET,
  client.ClientSecretBasic(CLIENT_SECRET),
  options,
);

/** What is known of each browser. It is lost with the process: a real application keeps it in a store. */
const sessions = new Map();

const app = express();
app.use((request, response, next) => {
  let [, id] = /(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? '') ?? [];
  if (!sessions.has(id)) {
    id = randomUUID();
    sessions.set(id, {});
    response.cookie('session', id, { httpOnly: true, sameSite: 'lax', secure: home.startsWith('https:') });
  }
  request.session = sessions.get(id);
  next();
});

app.get('/', async (request, response) => {
  const { tokens, person } = request.session;
  if (!tokens) return response.send('<a href="/sign-in">Sign in with Gantry</a>');
  const answer = await callApi(request.session, '/api/v4/projects?membership=true&simple=true');
  const projects = await answer.json();
  response
    .type('text')
    .send(
      [`Hello ${person.name}, ${person.email}`, ...projects.map((project) => project.path_with_namespace)].join('\n'),
    );
});

app.get('/sign-in', async (request, response) => {
  // All three are compared when the browser comes back, so that nobody else's answer is taken for this one.
  const checks = {
    pkceCodeVerifier: client.randomPKCECodeVerifier(),
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
  };
  request.session.checks = checks;
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: `${home}/callback`,
    scope: 'openid email read_api',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  response.redirect(url.href);
});

app.get('/callback', async (request, response) => {
  const { checks } = request.session;
  if (!checks) return response.redirect('/');
  delete request.session.checks;
  const tokens = await client.authorizationCodeGrant(config, new URL(request.originalUrl, home), checks);
  request.session.tokens = tokens;
  request.session.person = tokens.claims();
  response.redirect('/');
});

app.get('/sign-out', async (request, response) => {
  const { tokens } = request.session;
  delete request.session.tokens;
  // Ends the access token, too: they came from one consent.
  if (tokens) await client.tokenRevocation(config, tokens.refresh_token);
  response.redirect('/');
});

/** Calls the API; a token that is no longer valid is renewed once. */
async function callApi(session, path) {
  const call = () =>
    fetch(new URL(path, issuer), { headers: { authorization: `Bearer ${session.tokens.access_token}` } });
  const answer = await call();
  if (answer.status !== 401) return answer;
  // Each refresh token works once: keep the new one.
  session.tokens = await client.refreshTokenGrant(config, session.tokens.refresh_token);
  return call();
}

// Errors of the provider, such as a user who denies access.
app.use((error, _request, response, _next) => {
  response
    .status(400)
    .type('text')
    .send(`Signing in failed: ${error.error ?? error.message}`);
});

const server = app.listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on port ${server.address().port}`));
