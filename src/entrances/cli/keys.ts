import { parseArgs } from 'node:util';
import { onDatabase, print, type Run } from '#src/entrances/cli/command.ts';

/** The commands `gantry keys …`. */
export const keyCommands: Record<string, Run> = { 'keys rotate': rotate };

async function rotate(args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  const { rotateKeys } = await import('#src/access/oauth/keys.ts');
  await onDatabase('gantry keys rotate', rotateKeys);
  return print('OAuth now signs with new keys. The old keys remain valid for two hours.\n');
}
