import { RepositoryStore } from '#src/domain/repository/store.ts';
import { DiskUploads } from '#src/domain/uploads/disk.ts';
import { jobHandlers } from '#src/entrances/server/background_jobs.ts';
import { startJobs } from '#src/platform/background/queue.ts';
import { connect } from '#src/platform/database/db.ts';
import { migrate } from '#src/platform/database/migrate.ts';
import { importSettings } from '#src/platform/outbound/options.ts';
import { PACES_WITHOUT_SCHEDULES } from './paces.ts';

/** Puts into an empty database what every database of a server has from its first start. */
export async function fillTemplate(url: string): Promise<void> {
  await migrate(url);
  await installJobs(url);
}

/** The tables of the job queue, which the server installs at its first start. */
async function installJobs(url: string): Promise<void> {
  const db = connect(url);
  const stores = { repositories: new RepositoryStore({}), uploads: new DiskUploads('') };
  const handlers = jobHandlers({ db, ...stores, secret: '', imports: importSettings() });
  const jobs = await startJobs({ url, handlers, paces: PACES_WITHOUT_SCHEDULES, report: console.error, db });
  await jobs.stop();
  await db.$disconnect();
}
