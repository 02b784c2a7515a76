import { describe, expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
const project = await world.project({ owner });
const issues = `/projects/${project.id}/issues`;

describe('A day', () => {
  it.each([
    ['2030-01-02', '2030-01-02'],
    ['2030-1-2', '2030-01-02'],
    ['2030/01/02', '2030-01-02'],
    ['2030/1/2', '2030-01-02'],
    ['2030-01-02T00:00:00Z', '2030-01-02'],
    ['2030-01-02T23:59:59.999+02:00', '2030-01-02'],
    ['2030-01-02 03:45:40 UTC', '2030-01-02'],
    ['2030-01-02 03:45:40 +0200', '2030-01-02'],
    ['2030-01-02 03:45', '2030-01-02'],
  ])('is taken as clients send it: %s', async (given, expected) => {
    const { status, body } = await api.post(issues, { title: 'Due', due_date: given });
    expect([status, body.due_date]).toEqual([201, expected]);
    const milestone = await api.post(`/projects/${project.id}/milestones`, {
      title: `Due ${given}`,
      start_date: given,
    });
    expect([milestone.status, milestone.body.start_date]).toEqual([201, expected]);
  });

  it.each([
    '2030-02-30',
    '2030-13-01',
    '2030-00-01',
    '30-01-02',
    '2030-01',
    '2030',
    '01/02/2030',
    '2030-01-02x',
    '2030-01-02T',
    '2030-01-02T99',
    '2030-01-02 noon',
    '20300102',
  ])('is refused where there is no such: %s', async (given) => {
    const { status, body } = await api.post(issues, { title: 'Due', due_date: given });
    expect([status, body]).toEqual([400, { error: 'due_date is invalid' }]);
  });
});

describe('A moment', () => {
  it.each([
    ['2016-03-11T03:45:40Z', '2016-03-11T03:45:40.000Z'],
    ['2016-03-11 03:45:40 UTC', '2016-03-11T03:45:40.000Z'],
    ['2016-03-11 03:45:40 +0200', '2016-03-11T01:45:40.000Z'],
    ['2016-03-11T03:45:40+02:00', '2016-03-11T01:45:40.000Z'],
    // The `+` of a form that was not encoded.
    ['2016-03-11T03:45:40 02:00', '2016-03-11T01:45:40.000Z'],
    ['2016-03-11 03:45:40 0200', '2016-03-11T01:45:40.000Z'],
    ['2016-03-11 03:45', '2016-03-11T03:45:00.000Z'],
    ['2016-03-11', '2016-03-11T00:00:00.000Z'],
  ])('is taken as clients send it: %s', async (given, expected) => {
    const { status, body } = await api.post(issues, { title: 'Old', created_at: given });
    expect([status, body.created_at]).toEqual([201, expected]);
  });

  it.each([
    'yesterday',
    '2016-03-11 25:00:00 UTC',
    '2016-03-11 UTC',
    '2016-03-11T03:45:40 99:99',
    '2016-03-11T03:45:40 CET',
  ])('is refused where there is no such: %s', async (given) => {
    const { status, body } = await api.post(issues, { title: 'Old', created_at: given });
    expect([status, body]).toEqual([400, { error: 'created_at is invalid' }]);
  });
});

describe('A body of null', () => {
  it('is no body', async () => {
    const { body: issue } = await api.post(issues, { title: 'To follow' });
    await api.post(`${issues}/${issue.iid}/unsubscribe`);
    const headers = { 'PRIVATE-TOKEN': owner.token, 'Content-Type': 'application/json' };
    const send = (path: string) => world.send('POST', `/api/v4${path}`, { headers, body: 'null' });
    expect(await send(`${issues}/${issue.iid}/subscribe`)).toMatchObject({ status: 201 });
    expect(await send(issues)).toMatchObject({ status: 400, body: { error: 'title is missing' } });
  });
});

describe('A number beyond what its column holds', () => {
  const numbers = [2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e300, '99999999999'];

  it.each(numbers)('is refused by its name and never cut: %s', async (number) => {
    const label = { name: world.unique('label'), color: '#ffffff', priority: number };
    expect(await api.post(`/projects/${project.id}/labels`, label)).toMatchObject({
      status: 400,
      body: { error: 'priority is invalid' },
    });
    const admin = world.api(await world.user({ admin: true }));
    for (const name of ['max_attachment_size', 'session_expire_delay', 'default_projects_limit']) {
      const { status, body } = await admin.put('/application/settings', { [name]: number });
      expect([status, body]).toEqual([400, { error: `${name} is invalid` }]);
    }
    const user = {
      email: 'a@example.org',
      username: 'limited',
      name: 'L',
      password: 'long enough 123',
      projects_limit: number,
    };
    expect(await admin.post('/users', user)).toMatchObject({
      status: 400,
      body: { error: 'projects_limit is invalid' },
    });
  });

  it('names nothing as an ID', async () => {
    expect((await api.get(`${issues}/99999999999`)).status).toBe(404);
    expect((await api.get(`${issues}?iids[]=99999999999`)).body).toEqual([]);
  });
});

describe('A parameter that is given twice', () => {
  const token = { 'PRIVATE-TOKEN': owner.token };
  const send = async (type: string, path: string, body: string) => {
    const headers = { ...token, 'Content-Type': type };
    return (await world.send('POST', `/api/v4${path}`, { headers, body })).body;
  };

  it('is what it was given last, in a query', async () => {
    const closed = await world.issue(project, owner, { title: 'Twice, closed' });
    await api.put(`${issues}/${closed.iid}`, { state_event: 'close' });
    await world.issue(project, owner, { title: 'Twice, opened' });
    const titles = async (query: string) =>
      (await api.get(`${issues}?search=Twice&${query}`)).body.map(({ title }: { title: string }) => title);
    expect(await titles('state=opened&state=closed')).toEqual(['Twice, closed']);
    expect(await titles('state=closed&state=opened')).toEqual(['Twice, opened']);
    expect(await titles('state=closed&per_page=x&per_page=5')).toEqual(['Twice, closed']);
  });

  it('is what it was given last, in a form and in multipart', async () => {
    const form = await send('application/x-www-form-urlencoded', issues, 'title=first&title=last');
    expect(form.title).toBe('last');
    const part = (value: string) => `--b\r\nContent-Disposition: form-data; name="title"\r\n\r\n${value}\r\n`;
    const body = `${part('first')}${part('last')}--b--\r\n`;
    expect((await send('multipart/form-data; boundary=b', issues, body)).title).toBe('last');
  });

  it('is all that it was given, where it is a list', async () => {
    const [first, last] = [await world.issue(project, owner), await world.issue(project, owner)];
    await world.issue(project, owner);
    for (const query of [`iids[]=${first.iid}&iids[]=${last.iid}`, `iids=${first.iid}&iids=${last.iid}`]) {
      const { body } = await api.get(`${issues}?${query}`);
      expect(body.map(({ iid }: { iid: number }) => iid).sort()).toEqual([first.iid, last.iid].sort());
    }
  });

  it('is refused in JSON, where it is no list', async () => {
    expect(await api.post(issues, { title: ['first', 'last'] })).toMatchObject({
      status: 400,
      body: { error: 'title is invalid' },
    });
  });
});
