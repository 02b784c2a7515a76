import { readFile, writeFile } from 'node:fs/promises';

/** The contents of a runner's configuration file. */
export interface RunnerConfig {
  /** URL of the server. */
  url: string;
  /** The token of the runner, not the one it registered with. */
  token: string;
}

/** The default path of the file. */
export const USUAL_CONFIG = 'gantry-runner.json';

/** Reads the file. Throws an Error that describes what is wrong with it. */
export async function readConfig(file: string): Promise<RunnerConfig> {
  const text = await readFile(file, 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(`${file} does not exist. Register the runner with \`gantry runner register\`.`);
  });
  const value = parse(text);
  if (!isConfig(value)) throw new Error(`${file} is not the file of a runner: it needs "url" and "token".`);
  return { url: value.url, token: value.token };
}

/** Writes a new file that only its owner can read. Throws an Error if it exists. */
export async function writeConfig(file: string, { url, token }: RunnerConfig): Promise<void> {
  await writeFile(file, `${JSON.stringify({ url, token }, null, 2)}\n`, { mode: 0o600, flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
    throw new Error(`${file} exists. Name another file with --config, or remove the runner of this one first.`);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isConfig(value: unknown): value is RunnerConfig {
  const { url, token } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return typeof url === 'string' && URL.canParse(url) && typeof token === 'string' && token !== '';
}
