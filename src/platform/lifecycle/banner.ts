import type { Credentials } from './credentials.ts';

export interface BannerFacts {
  version: string;
  url: string;
  /** Base URL of the REST API, for requests from this machine. */
  apiUrl: string;
  /** Where git reaches the server over SSH, or why it does not; undefined where that was turned off. */
  ssh?: string | undefined;
  dataDir: string;
  /** E.g. `embedded PostgreSQL 18.4`. */
  database: string;
  /** Path of the file with the administrator's credentials, if there is one. */
  credentialsFile?: string;
  /** Shown only when the administrator has just been created; without those that settings gave. */
  credentials?: Partial<Credentials>;
  ephemeral: boolean;
  /** What is said of the sample data, if there is some: line by line. */
  sample?: readonly string[] | undefined;
}

/** The text that is printed when the server has started. */
export function banner(facts: BannerFacts): string {
  const { version, url, apiUrl, ssh, dataDir, database, credentials, credentialsFile, ephemeral } = facts;
  const lines = [
    `Gantry ${version} is running.`,
    '',
    ...table({
      URL: url,
      ...(ssh === undefined ? {} : { SSH: ssh }),
      Data: ephemeral ? `${dataDir} (removed at exit)` : dataDir,
      Database: database,
      ...(credentials === undefined && credentialsFile !== undefined ? { Credentials: credentialsFile } : {}),
    }),
    ...(facts.sample === undefined ? [] : ['', ...facts.sample]),
  ];
  if (credentials !== undefined) {
    const { password, privateToken } = credentials;
    lines.push(
      '',
      'The administrator:',
      '',
      ...table({
        Username: 'root',
        Password: password ?? '(as GANTRY_ROOT_PASSWORD says)',
        'Private token': privateToken ?? '(as GANTRY_ROOT_TOKEN says)',
      }),
    );
    const made = password !== undefined || privateToken !== undefined;
    if (made && !ephemeral) lines.push('', `They are kept in ${credentialsFile} and are not shown again.`);
  }
  const token = credentials === undefined ? tokenIn(credentialsFile) : credentials.privateToken;
  lines.push('', 'For a shell:', '', `  export API=${quote(apiUrl)}`);
  if (token !== undefined) lines.push(`  export LOGIN=root TOKEN=${token}`);
  lines.push('', 'Stop with Ctrl+C.');
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}

/** For a shell: the token that the file keeps, which is not printed again. */
function tokenIn(file: string | undefined): string | undefined {
  return file === undefined ? undefined : `"$(sed -n 's/^private_token: //p' ${quote(file)})"`;
}

/** A word as it is for a shell. */
function quote(text: string): string {
  return /^[\w./:@%+,=[\]-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function table(rows: Record<string, string>): string[] {
  return Object.entries(rows).map(([name, value]) => `  ${`${name}:`.padEnd(15)} ${value}`);
}
