Bun.serve({ port: 3000, fetch: () => new Response("Which tea?") });
