// Each test takes long: the long run has them all.
// @module-tag long
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

describe('Two requests at once', () => {
  const events = (projectId: number, action: string) => world.db.event.count({ where: { projectId, action } });

  it('close an issue once, and delete it once', async () => {
    const project = await world.project({ owner });
    const { iid } = await world.issue(project, owner);
    const path = `/projects/${project.id}/issues/${iid}`;
    await Promise.all(Array.from({ length: 8 }, () => api.put(path, { state_event: 'close' })));
    expect(await events(project.id, 'closed')).toBe(1);
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.delete(path)));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(7);
    expect(await events(project.id, 'destroyed')).toBe(1);
  });

  it('that change other fields of an issue or milestone do not undo each other', async () => {
    const project = await world.project({ owner });
    const { iid } = await world.issue(project, owner);
    const { id } = await world.milestone(project, owner);
    for (const path of [`/projects/${project.id}/issues/${iid}`, `/projects/${project.id}/milestones/${id}`]) {
      const titles = Array.from({ length: 10 }, (_, n) => api.put(path, { title: `t${n}` }));
      await Promise.all([...titles, api.put(path, { state_event: 'close' })]);
      expect((await api.get(path)).body.state).toBe('closed');
    }
  });

  it('cannot leave a milestone that ends before it starts', async () => {
    const project = await world.project({ owner });
    const path = `/projects/${project.id}/milestones`;
    const { id } = await world.milestone(project, owner, { startDate: '2026-01-01', dueDate: '2026-12-31' });
    const changes = [{ start_date: '2026-11-01' }, { due_date: '2026-02-01' }];
    const statuses = (await Promise.all(changes.map((change) => api.put(`${path}/${id}`, change)))).map(
      (a) => a.status,
    );
    expect(statuses.sort()).toEqual([200, 400]);
  });

  it('move issues in opposite directions without waiting for each other', async () => {
    const [a, b] = [await world.project({ owner }), await world.project({ owner })];
    for (let n = 0; n < 12; n += 1) await world.issue(n % 2 ? a : b, owner);
    const move = (from: { id: number }, to: { id: number }, iid: number) =>
      api.post(`/projects/${from.id}/issues/${iid}/move`, { to_project_id: to.id });
    const moves = Array.from({ length: 6 }, (_, n) => [move(a, b, n + 1), move(b, a, n + 1)]).flat();
    expect((await Promise.all(moves)).map(({ status }) => status)).toEqual(Array(12).fill(201));
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
