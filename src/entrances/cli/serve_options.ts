import { parseArgs } from 'node:util';
import { UsageError } from '#src/entrances/cli/command.ts';
import type { ServeOptions } from '#src/entrances/server/serve_options.ts';
import { parsePort } from '#src/platform/config/values.ts';

/** Reads the options of `gantry serve`. Throws UsageError. */
export function readServeOptions(args: string[]): ServeOptions {
  const flag = { type: 'boolean', default: false } as const;
  const options = {
    ephemeral: flag,
    seed: flag,
    'expose-known-tokens': flag,
    control: flag,
    port: { type: 'string' },
  } as const;
  const { values } = parseArgs({ args, options });
  const { ephemeral, seed, control, 'expose-known-tokens': exposeKnownTokens } = values;
  if (seed && !ephemeral) throw new UsageError('--seed needs --ephemeral; `gantry seed` fills a server that stays');
  if (exposeKnownTokens && !seed) throw new UsageError('--expose-known-tokens needs --seed');
  if (control && !ephemeral) throw new UsageError('--control needs --ephemeral');
  if (values.port !== undefined && !ephemeral) throw new UsageError('--port needs --ephemeral; otherwise set PORT');
  const port = values.port === undefined ? undefined : portOf(values.port);
  return { ephemeral, seed, exposeKnownTokens, control, port };
}

function portOf(text: string): number {
  try {
    return parsePort(text);
  } catch (error) {
    throw new UsageError(`--port: ${(error as Error).message}`);
  }
}
