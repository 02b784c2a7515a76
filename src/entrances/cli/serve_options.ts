import { parseArgs } from 'node:util';
import { UsageError } from '#src/entrances/cli/command.ts';
import { parsePort } from '#src/platform/config/values.ts';

/** What `gantry serve` is told beside the settings. */
export interface ServeOptions {
  /** A data directory for this run only, its own PostgreSQL whatever DATABASE_URL says, and a free port. */
  ephemeral: boolean;
  /** Of an ephemeral server: filled with the sample data, whose passwords and tokens are known. */
  seed: boolean;
  /** Also where others reach the server. */
  exposeKnownTokens: boolean;
  /** Of an ephemeral server, instead of a free one. */
  port: number | undefined;
}

/** Reads the options of `gantry serve`. Throws UsageError. */
export function readServeOptions(args: string[]): ServeOptions {
  const flag = { type: 'boolean', default: false } as const;
  const options = { ephemeral: flag, seed: flag, 'expose-known-tokens': flag, port: { type: 'string' } } as const;
  const { values } = parseArgs({ args, options });
  const { ephemeral, seed, 'expose-known-tokens': exposeKnownTokens } = values;
  if (seed && !ephemeral) throw new UsageError('--seed needs --ephemeral; `gantry seed` fills a server that stays');
  if (exposeKnownTokens && !seed) throw new UsageError('--expose-known-tokens needs --seed');
  if (values.port !== undefined && !ephemeral) throw new UsageError('--port needs --ephemeral; otherwise set PORT');
  return { ephemeral, seed, exposeKnownTokens, port: values.port === undefined ? undefined : portOf(values.port) };
}

function portOf(text: string): number {
  try {
    return parsePort(text);
  } catch (error) {
    throw new UsageError(`--port: ${(error as Error).message}`);
  }
}
