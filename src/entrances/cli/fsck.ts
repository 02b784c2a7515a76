import { parseArgs } from 'node:util';
import { onDatabase, print, type Run, settings } from '#src/entrances/cli/command.ts';
import { requireGantry } from '#src/platform/lifecycle/require_gantry.ts';

/** The command `gantry fsck`. */
export const fsckCommands: Record<string, Run> = { fsck };

async function fsck(args: string[]): Promise<number> {
  const options = { project: { type: 'string' }, fix: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ args, options });
  const config = settings();
  requireGantry(config);
  const [{ check }, { RepositoryStore }, { openUploads }, { FOLLOWERS }] = await Promise.all([
    import('#src/entrances/fsck/check.ts'),
    import('#src/domain/repository/store.ts'),
    import('#src/domain/uploads/open.ts'),
    import('#src/entrances/server/followers.ts'),
  ]);
  return onDatabase('gantry fsck', async (db) => {
    const repositories = new RepositoryStore(config.storages);
    const uploads = await openUploads(config);
    const counts = { checked: 0, found: 0, fixed: 0 };
    try {
      const onChecked = () => {
        counts.checked++;
      };
      for await (const { project, place, what, advice, isFixed } of check(
        { db, repositories, uploads, followers: FOLLOWERS },
        values,
        onChecked,
      )) {
        counts.found++;
        if (isFixed) counts.fixed++;
        print(`${project ?? '(no project)'}: ${place}\n  ${what}\n  ${isFixed ? 'Removed.' : advice}\n`);
      }
    } finally {
      await repositories.close();
    }
    print(`${summary(counts)}\n`);
    return counts.found > counts.fixed ? 1 : 0;
  });
}

function summary({ checked, found, fixed }: { checked: number; found: number; fixed: number }): string {
  const projects = `Checked ${checked} ${checked === 1 ? 'project' : 'projects'}`;
  if (found === 0) return `${projects}: all is well.`;
  return `${projects}: ${found} ${found === 1 ? 'problem' : 'problems'}${fixed === 0 ? '' : `, ${fixed} of them removed`}.`;
}
