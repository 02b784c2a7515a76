import { describe, expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);

describe('Numbers of issues', () => {
  it('have no gaps or duplicates, however many are opened at the same time', async () => {
    const project = await world.project({ owner });
    const path = `/projects/${project.id}/issues`;
    const given = (n: number) => ({ title: `${n}`, labels: `all,l${n % 3}` });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => api.post(path, given(n))));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201));
    const iids = answers.map(({ body }) => body.iid).sort((a, b) => a - b);
    expect(iids).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
    expect(await world.db.label.count({ where: { projectId: project.id } })).toBe(4);
  });

  it('of refused issues are not used up', async () => {
    const project = await world.project({ owner });
    const path = `/projects/${project.id}/issues`;
    const titles = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'good' : 'x'.repeat(256)));
    const answers = await Promise.all(titles.map((title) => api.post(path, { title })));
    const iids = answers.filter(({ status }) => status === 201).map(({ body }) => body.iid);
    expect(iids.sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, n) => n + 1));
  });

  it('of milestones have none either', async () => {
    const project = await world.project({ owner });
    const path = `/projects/${project.id}/milestones`;
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => api.post(path, { title: `m${n}` })));
    expect(answers.map(({ body }) => body.iid).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
  });
});

describe('Totals', () => {
  it('agree with the rows after issues were opened, closed, reopened, hidden, moved and deleted at the same time', async () => {
    const [here, there] = [
      await world.project({ owner, visibility: 'public' }),
      await world.project({ owner, visibility: 'public' }),
    ];
    const path = `/projects/${here.id}/issues`;
    for (let n = 1; n <= 24; n += 1) await world.issue(here, owner, { confidential: n % 4 === 0 });
    const change = (iid: number) => {
      const one = `${path}/${iid}`;
      switch (iid % 6) {
        case 0:
          return api.delete(one);
        case 1:
          return api.put(one, { state_event: 'close' });
        case 2:
          return api.post(`${one}/move`, { to_project_id: there.id });
        case 3:
          return api.put(one, { confidential: true, state_event: 'close' });
        case 4:
          return api.put(one, { confidential: false });
        default:
          return api.put(one, { state_event: 'close' }).then(() => api.put(one, { state_event: 'reopen' }));
      }
    };
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => change(n + 1)));
    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    const outsider = await world.user();
    for (const project of [here, there]) {
      for (const who of [owner, outsider]) {
        for (const state of ['opened', 'closed', 'all']) {
          const where = {
            projectId: project.id,
            deletedAt: null,
            ...(state === 'all' ? {} : { state: state as 'opened' }),
            ...(who === owner ? {} : { confidential: false }),
          };
          const { headers, body } = await world
            .api(who)
            .get(`/projects/${project.id}/issues?state=${state}&per_page=100`);
          const rows = await world.db.issue.count({ where });
          expect([project.name, who.username, state, headers['x-total'], body.length]).toEqual([
            project.name,
            who.username,
            state,
            String(rows),
            rows,
          ]);
        }
      }
    }
    expect((await api.get(`/projects/${here.id}`)).body.open_issues_count).toBe(
      await world.db.issue.count({ where: { projectId: here.id, state: 'opened', deletedAt: null } }),
    );
  });
});
