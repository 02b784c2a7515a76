import { parseArgs } from 'node:util';
import { onDatabase, print, type Run, settings } from '#src/entrances/cli/command.ts';
import { requireGantry } from '#src/platform/lifecycle/require_gantry.ts';

/** The command `gantry seed`. */
export const seedCommands: Record<string, Run> = { seed };

async function seed(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { beside: { type: 'boolean', default: false } } });
  const config = settings();
  requireGantry(config);
  const [
    { NoRoomForSample },
    { randomSecrets },
    { seed },
    { importSettings },
    { RepositoryStore },
    { openUploads },
    { jobHandlers },
    { FOLLOWERS },
  ] = await Promise.all([
    import('#src/entrances/seed/room.ts'),
    import('#src/entrances/seed/secrets.ts'),
    import('#src/entrances/seed/seed.ts'),
    import('#src/platform/outbound/options.ts'),
    import('#src/domain/repository/store.ts'),
    import('#src/domain/uploads/open.ts'),
    import('#src/entrances/server/background_jobs.ts'),
    import('#src/entrances/server/followers.ts'),
  ]);
  const people = await onDatabase('gantry seed', async (db, secret) => {
    const repositories = new RepositoryStore(config.storages, { limits: config.repositoryLimits });
    const stores = { db, secret, repositories, uploads: await openUploads(config), imports: importSettings() };
    const handlers = jobHandlers(stores);
    try {
      return await seed(
        { ...stores, followers: FOLLOWERS, handlers },
        { secrets: randomSecrets(), beside: values.beside },
      );
    } catch (error) {
      if (!(error instanceof NoRoomForSample)) {
        throw new Error(`The sample data is incomplete: ${(error as Error).message}`, { cause: error });
      }
      throw error.fitsBeside ? new Error(`${error.message} Add --beside to fill it all the same.`) : error;
    } finally {
      await repositories.close();
    }
  });
  const rows = people.map(
    ({ username, password, privateToken }) => `${username.padEnd(10)}${password}  ${privateToken}`,
  );
  print('The server has sample data now. Its people sign in with these, which are not shown again:\n\n');
  return print(`${['USERNAME  PASSWORD              PRIVATE TOKEN', ...rows].join('\n')}\n`);
}
