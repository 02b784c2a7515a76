import type { Request, Response } from 'express';
import { sendJson } from './comparator/answer.ts';
import { app } from './comparator/app.ts';
import './comparator/issues.ts';
import './comparator/merge_requests.ts';
import './comparator/notes.ts';
import './comparator/labels.ts';
import './comparator/projects.ts';
import './comparator/members.ts';
import './comparator/statuses.ts';
import './comparator/pipelines.ts';
import './comparator/events.ts';
import './comparator/graphql.ts';
import { serve } from './serve.ts';

// What Gantry is compared with: the same answers, written by hand on Express and pg with no layer between.

app.use((error: Error & { status?: number }, _request: Request, response: Response, _next: () => void) => {
  sendJson(response, error.status ?? 500, JSON.stringify({ message: error.message }));
});

await serve(app);
