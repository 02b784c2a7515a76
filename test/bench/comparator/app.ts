import express from 'express';

/** The server; each file beside this one adds its routes, so that a request is matched against one flat list. */
export const app = express();
app.disable('x-powered-by');
