import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

/** What requests to a bucket are signed with. */
export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Credentials, and when they end (milliseconds since 1970). */
type Lent = S3Credentials & { until: number };

/** Milliseconds for each question, and before their end when credentials are asked for again. */
const REQUEST_TIMEOUT_MS = 5_000;
const EARLY = 5 * 60_000;

/** Where a machine of Amazon is told its own role, and a container its own. */
const MACHINE = 'http://169.254.169.254';
const CONTAINER = 'http://169.254.170.2';

/**
 * Credentials where none are set, from where tools of AWS take them: the role of a Kubernetes service account, the keys of a
 * profile in `~/.aws/credentials`, the role of the container, the role of the machine. They are asked for again before they end.
 */
export function defaultCredentials(region: string, env: NodeJS.ProcessEnv = process.env): () => Promise<S3Credentials> {
  let lent: Promise<Lent> | undefined;
  let until = 0;
  return () => {
    if (!lent || Date.now() > until - EARLY) {
      until = Number.POSITIVE_INFINITY;
      lent = find(region, env);
      lent.then(
        (found) => {
          until = found.until;
        },
        () => {
          lent = undefined;
        },
      );
    }
    return lent;
  };
}

async function find(region: string, env: NodeJS.ProcessEnv): Promise<Lent> {
  try {
    if (env.AWS_WEB_IDENTITY_TOKEN_FILE) return await ofServiceAccount(env.AWS_WEB_IDENTITY_TOKEN_FILE, region, env);
    return (await ofProfile(env)) ?? (await ofContainer(env)) ?? (await ofMachine(env));
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new Error(`no AWS_ACCESS_KEY_ID is set, and no role or profile was found: ${reason}`, { cause });
  }
}

async function ofServiceAccount(tokenFile: string, region: string, env: NodeJS.ProcessEnv): Promise<Lent> {
  const url = new URL(env.AWS_ENDPOINT_URL_STS || `https://sts.${region}.amazonaws.com`);
  const parameters = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: env.AWS_ROLE_ARN ?? '',
    RoleSessionName: env.AWS_ROLE_SESSION_NAME || 'gantry',
    WebIdentityToken: (await readFile(tokenFile, 'utf8')).trim(),
  };
  const body = new URLSearchParams(parameters);
  const answer = JSON.parse(await ask(url, { method: 'POST', body, headers: { accept: 'application/json' } }));
  const { Credentials } = answer.AssumeRoleWithWebIdentityResponse.AssumeRoleWithWebIdentityResult;
  return {
    accessKeyId: Credentials.AccessKeyId,
    secretAccessKey: Credentials.SecretAccessKey,
    sessionToken: Credentials.SessionToken,
    until: Credentials.Expiration * 1000,
  };
}

async function ofProfile(env: NodeJS.ProcessEnv): Promise<Lent | null> {
  const file = env.AWS_SHARED_CREDENTIALS_FILE || path.join(homedir(), '.aws', 'credentials');
  const content = await readFile(file, 'utf8').catch(() => '');
  const section = content.split(/^[ \t]*\[/m).find((part) => part.startsWith(`${env.AWS_PROFILE || 'default'}]`));
  const values = Object.fromEntries(
    section?.split('\n').flatMap((line) => {
      const [, name = '', value = ''] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      return name ? [[name, value]] : [];
    }) ?? [],
  );
  const {
    aws_access_key_id: accessKeyId,
    aws_secret_access_key: secretAccessKey,
    aws_session_token: sessionToken,
  } = values;
  if (!accessKeyId || !secretAccessKey) return null;
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }), until: Date.now() + 2 * EARLY };
}

async function ofContainer(env: NodeJS.ProcessEnv): Promise<Lent | null> {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = env;
  if (!relative && !full) return null;
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const token = file ? (await readFile(file, 'utf8')).trim() : env.AWS_CONTAINER_AUTHORIZATION_TOKEN;
  const headers = token ? { authorization: token } : undefined;
  return fromJson(await ask(new URL(relative ? CONTAINER + relative : (full ?? '')), headers && { headers }));
}

async function ofMachine(env: NodeJS.ProcessEnv): Promise<Lent> {
  if (env.AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true') throw new Error('roles of machines are disabled');
  const base = env.AWS_EC2_METADATA_SERVICE_ENDPOINT || MACHINE;
  const lifetime = { 'x-aws-ec2-metadata-token-ttl-seconds': '300' };
  const token = await ask(new URL('/latest/api/token', base), { method: 'PUT', headers: lifetime });
  const headers = { 'x-aws-ec2-metadata-token': token };
  const roles = new URL('/latest/meta-data/iam/security-credentials/', base);
  const [role = ''] = (await ask(roles, { headers })).split('\n');
  return fromJson(await ask(new URL(role, roles), { headers }));
}

function fromJson(answer: string): Lent {
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = JSON.parse(answer);
  const until = Date.parse(Expiration);
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token, until };
}

async function ask(url: URL, options: RequestInit = {}): Promise<string> {
  const response = await fetch(url, { ...options, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url.host} answered with status ${response.status}`);
  return response.text();
}
