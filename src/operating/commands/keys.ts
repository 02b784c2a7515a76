import { parseArgs } from 'node:util';
import { onDatabase, print, type Run } from '#src/operating/commands/command.ts';

/** What `gantry keys …` can do. */
export const keyCommands: Record<string, Run> = { 'keys rotate': rotate };

async function rotate(args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  const { rotateKeys } = await import('#src/access/oauth/keys.ts');
  await onDatabase('gantry keys rotate', rotateKeys);
  return print(
    'OAuth signs with new keys from now on. What the ones of before signed is believed for two hours yet.\n',
  );
}
