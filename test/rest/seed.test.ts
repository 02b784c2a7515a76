import { expect, it } from "vitest";
import { KNOWN_SECRETS } from '#src/operating/seed/secrets.ts';
import { seed } from '#src/operating/seed/seed.ts';
import { bootstrapAdministrator } from '#src/users/bootstrap.ts';
import { SECRET as secret, startWorld } from '../support/world.ts';

const world = await startWorld();
it('x', async () => {
  const { db, repositories, uploads, imports } = world;
  await bootstrapAdministrator(db, secret, { password: 'seed-password', privateToken: 'seed-private-token-root' });
  const a = performance.now();
  await seed({ db, secret, repositories, uploads, imports }, { secrets: KNOWN_SECRETS, beside: false });
  console.log(performance.now() - a);
  for (const path of ['projects?private_token=seed-private-token-root&simple=true', 'projects/1/pipelines', 'projects/1/repository/tags']) {
    const r = await fetch(`${world.url}/api/v4/${path}`, { headers: { 'private-token': 'seed-private-token-root' } });
    console.log(JSON.stringify(await r.json(), null, 1).slice(0, 6000));
  }
});
import { T } from '#src/operating/seed/stage.ts';
it('t', () => { const s=(i:number)=>T.reduce((a,t)=>a+t[i],0); console.log(T.length, s(0), s(1), s(2)); for (const t of T.toSorted((a: any,b: any)=>b[1]+b[2]-a[1]-a[2]).slice(0,30)) console.log(t[1].toFixed(0), t[2].toFixed(0), t[3].replace(/\s+/g,' ')); console.log(process.cpuUsage()); });
