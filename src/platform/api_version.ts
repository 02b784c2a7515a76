/**
 * The version of the API, by which its clients decide what they may ask for: three integers. It rises with what is added, and says
 * nothing of Gantry's own releases (`packageVersion`). 17.11: the GraphQL of today's clients at /api/graphql (compat/), which editors want
 * from 16.1 on; below 18.2, from which on they take paid features to be there.
 */
export const API_VERSION = '17.11.0';
