// A web server that signs people in with their Gantry account by Auth.js, and reads their projects (docs/oauth.md).
//
//   ISSUER=https://git.example.com CLIENT_ID=… CLIENT_SECRET=… AUTH_SECRET=… node server.js
//
// Register it as confidential, with the redirect URI http://localhost:3000/auth/callback/gantry and the scopes openid, email and
// read_api. AUTH_SECRET is a random text of its own, with which Auth.js encrypts its cookies.
import { getToken } from '@auth/core/jwt';
import { ExpressAuth, getSession } from '@auth/express';
import express from 'express';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, AUTH_SECRET: secret, PORT = '3000' } = process.env;

/** @type {import('@auth/express').ExpressAuthConfig} */
const config = {
  basePath: '/auth',
  secret,
  // The host of a request is believed: behind a proxy, let it set the header.
  trustHost: true,
  providers: [
    {
      id: 'gantry',
      name: 'Gantry',
      type: 'oidc',
      issuer: ISSUER,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authorization: { params: { scope: 'openid email read_api' } },
      checks: ['pkce', 'state', 'nonce'],
    },
  ],
  // As long as the access token. It is not refreshed: a refresh token works once, and two pages at once would use the one in the cookie twice.
  session: { strategy: 'jwt', maxAge: 7200 },
  callbacks: {
    // The tokens stay in the encrypted cookie; what `session` returned, scripts of the pages could read at /auth/session.
    jwt: ({ token, account }) => (account ? { ...token, access: account.access_token } : token),
  },
  events: { signOut: ({ token }) => revoke(token?.access) },
};

const app = express();
app.use('/auth', ExpressAuth(config));

app.get('/', async (request, response) => {
  const session = await getSession(request, config);
  if (!session) return response.send('<a href="/auth/signin">Sign in</a>');
  const { access } = await getToken({ req: request, secret, secureCookie: request.protocol === 'https' });
  const answer = await fetch(new URL('/api/v4/projects?membership=true&simple=true', ISSUER), {
    headers: { authorization: `Bearer ${access}` },
  });
  // It has expired, or the user has removed the application.
  if (answer.status === 401) return response.redirect('/auth/signin');
  const projects = await answer.json();
  const { name, email } = session.user;
  response
    .type('text')
    .send([`Hello ${name}, ${email}`, ...projects.map((project) => project.path_with_namespace)].join('\n'));
});

/** Ends the access of somebody who signs out. */
async function revoke(token) {
  if (!token) return;
  await fetch(new URL('/oauth/revoke', ISSUER), {
    method: 'POST',
    body: new URLSearchParams({ token, client_id: CLIENT_ID, client_secret: CLIENT_SECRET }),
  });
}

const server = app.listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on port ${server.address().port}`));
