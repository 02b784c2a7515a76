import { publishSite } from '#src/domain/sites/publish.ts';
import { storeArtifacts } from './artifacts.ts';
import type { Answer } from './http.ts';
import { endJob, takenJob } from './running_job.ts';
import { startWorld, type TestUser } from './world.ts';
import { zip } from './zip.ts';

export const PAGES_HOST = 'pages.example.test';

/** What a job says of its site. */
interface PagesOptions {
  publish?: string;
  path_prefix?: string;
  expire_in?: string;
}

/** A world with sites, and what publishes and visits them. */
export async function startSites() {
  const world = await startWorld({ pagesHost: PAGES_HOST });
  const sites = { scheme: 'http', serverHostname: '127.0.0.1', host: PAGES_HOST, hostname: PAGES_HOST } as const;
  const stores = { db: world.db, uploads: world.uploads, sites: { ...sites, serverUrl: world.url } };

  /** A job that has succeeded, with artifacts and what it says of its site; it is not published yet. */
  async function built(
    owner: TestUser,
    project: { id: number },
    content: Buffer | Record<string, string | Buffer>,
    pages: PagesOptions = {},
  ): Promise<number> {
    const { id } = await takenJob(world, owner, project, { name: 'pages' });
    const bytes = Buffer.isBuffer(content) ? content : await zip(content);
    await storeArtifacts(world, { id, projectId: project.id }, { content: bytes });
    await endJob(world, id);
    await world.db.job.update({
      where: { id },
      data: { options: { pages: { publish: 'public', path_prefix: '', ...pages } } },
    });
    return id;
  }

  /** Publishes files as the site of a project; the job that made them. */
  async function publish(...given: Parameters<typeof built>): Promise<number> {
    const id = await built(...given);
    await publishSite(stores, id);
    return id;
  }

  /** Visits a host below that of sites, or another one, by its whole name. */
  function visit(host: string, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
    return world.send(method, path, {
      headers: { Host: host.includes('.') ? host : `${host}.${PAGES_HOST}`, ...headers },
    });
  }

  const problemOf = async ({ id: projectId }: { id: number }) =>
    (await world.db.pagesSettings.findUnique({ where: { projectId } }))?.problem ?? null;

  return { world, stores, built, publish, visit, problemOf };
}
