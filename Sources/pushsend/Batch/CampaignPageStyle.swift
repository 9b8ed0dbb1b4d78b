/// The style of the report page: for small and large screens, light and dark themes, and print.
enum CampaignPageStyle {
    static let text = """
        :root { --ink: #1d1d1f; --soft: #636366; --page: #ffffff; --line: #d2d2d7; --bar: #0a6ebd; --stop: #b3261e; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #f5f5f7; --soft: #a1a1a6; --page: #161617; --line: #424245; --bar: #4aa3f0; --stop: #ff8a80; }
        }
        body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
        main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
        h1 { font-size: 1.6rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
        h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
        .lead { font-size: 1.1rem; margin: .25rem 0 1.5rem; color: var(--soft); }
        .note { font-size: .85rem; color: var(--soft); }
        .stop { border-left: 4px solid var(--stop); padding: .25rem .75rem; margin: 1.5rem 0; overflow-wrap: anywhere; }
        dl { display: grid; gap: .5rem 1.5rem; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); margin: 0; }
        dt { color: var(--soft); font-size: .85rem; }
        dd { margin: 0; overflow-wrap: anywhere; }
        pre { margin: 0; padding: .75rem; max-height: 20rem; overflow: auto; border: 1px solid var(--line); border-radius: 4px;
          font-size: .85rem; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
        table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
        th { text-align: left; font-weight: normal; overflow-wrap: anywhere; unicode-bidi: isolate; }
        th, td { padding: .3rem 1rem .3rem 0; border-bottom: 1px solid var(--line); }
        td, thead th + th { text-align: right; white-space: nowrap; width: 1%; min-width: 4rem; }
        thead th { color: var(--soft); font-size: .85rem; }
        .bar { width: 45%; min-width: 0; padding-right: 0; }
        .bar i { display: block; height: .8rem; min-width: 2px; background: var(--bar); border-radius: 2px; }
        details { margin-top: .5rem; }
        summary { cursor: pointer; padding: .3rem 0; }
        .plot { display: grid; grid-template-columns: auto 1fr; column-gap: .5rem; margin-top: 1rem; }
        .plot span { color: var(--soft); font-size: .85rem; line-height: 1rem; font-variant-numeric: tabular-nums; }
        .up, .across { display: flex; justify-content: space-between; }
        .up { flex-direction: column; text-align: right; margin: -.5rem 0; }
        .across { grid-column: 2; padding-top: .4rem; }
        svg { display: block; width: 100%; height: 11rem; overflow: visible; }
        path { vector-effect: non-scaling-stroke; fill: none; stroke: var(--line); }
        path.course { stroke: var(--bar); stroke-width: 1.5; stroke-linejoin: round; }
        path.under { fill: var(--bar); fill-opacity: .2; stroke: none; }
        li { overflow-wrap: anywhere; }
        @media (max-width: 30rem) { .bar { width: 10%; } td, thead th + th { padding-right: .75rem; min-width: 0; } }
        @media print { body { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
        """
}
