// A program on the command line that is let in from a browser, on this machine or another one (docs/oauth.md).
//
//   ISSUER=https://git.example.com CLIENT_ID=… node device.js
//
// Register it as not confidential, with any redirect URI (this grant does not use it) and the scope read_user.
import * as client from 'openid-client';

const { ISSUER, CLIENT_ID } = process.env;
const issuer = new URL(ISSUER);
// Plain http is for servers of this machine, such as those of tests.
const options = issuer.protocol === 'http:' ? { execute: [client.allowInsecureRequests] } : {};
const config = await client.discovery(issuer, CLIENT_ID, undefined, client.None(), options);

const device = await client.initiateDeviceAuthorization(config, { scope: 'read_user' });
console.log(`Open ${device.verification_uri} and enter ${device.user_code}`);

try {
  // Asks as often as the server allows, until the user has decided or the code has expired.
  const tokens = await client.pollDeviceAuthorizationGrant(config, device);
  const answer = await client.fetchProtectedResource(
    config,
    tokens.access_token,
    new URL('/api/v4/user', issuer),
    'GET',
  );
  const { username } = await answer.json();
  console.log(`Signed in as ${username}`);
  // A program that runs again keeps tokens.refresh_token, where only its user can read it.
} catch (error) {
  console.error(error.error === 'access_denied' ? 'Access was denied.' : `Signing in failed: ${error.message}`);
  process.exitCode = 1;
}
