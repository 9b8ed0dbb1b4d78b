# pushsend in a container: `docker build -t pushsend .`. See docs/install.md.
# The service: `docker build --target pushserve -t pushserve .`. See docs/service.md.

FROM swift:6.2-bookworm AS build
WORKDIR /source
# The scripts are copied before the sources, so that a change in the sources does not install the packages again.
COPY scripts scripts
RUN scripts/setup
COPY . .
# For --version, as the repository is not copied: docker build --build-arg PUSHSEND_COMMIT=$(git rev-parse --short=10 HEAD)
ARG PUSHSEND_COMMIT=
RUN DESTDIR=/staged scripts/install --prefix /usr/local && scripts/lib/licences /staged/usr/local/share/doc/pushsend

# The service. Mount a configuration at /etc/pushserve, or describe an app by variables: PUSHSERVE_APP and so on.
FROM debian:bookworm-slim AS pushserve
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates libnghttp2-14 libpq5 libsqlite3-0 libssl3 libstdc++6 \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --user-group --no-log-init --home-dir /var/lib/pushserve --shell /usr/sbin/nologin pushserve \
    && install --directory --owner 10001 --group 10001 --mode 0700 /var/lib/pushserve
COPY --from=build /staged/usr/local/share/doc /usr/local/share/doc
COPY --from=build /staged/usr/local/bin/pushserve /usr/local/bin/pushserve
ENV PUSHSERVE_LISTEN=0.0.0.0:8080
USER 10001:10001
# The queue of a service without a configuration is here; a variable for it would replace the database of a mounted one.
WORKDIR /var/lib/pushserve
# On a local disk, not on a network file system: SQLite needs its locks.
VOLUME /var/lib/pushserve
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["pushserve"]
CMD ["run"]

# scripts/lib/check-run-image builds this stage and runs it without Docker.
FROM debian:bookworm-slim
# libssl3 also contains the module legacy.so. With it, OpenSSL opens a .p12 that macOS exported.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates libnghttp2-14 libssl3 libstdc++6 \
    && rm -rf /var/lib/apt/lists/*
# All users may write to the state folder, so that `docker run --user` works.
RUN useradd --uid 10001 --user-group --no-log-init --home-dir /var/lib/pushsend --shell /usr/sbin/nologin pushsend \
    && install --directory --mode 1777 /var/lib/pushsend
COPY --from=build /staged/usr/local/share/doc /usr/local/share/doc
COPY --from=build /staged/usr/local/bin/pushsend /usr/local/bin/pushsend
ENV PUSHSEND_STATE=/var/lib/pushsend
USER 10001:10001
VOLUME /var/lib/pushsend
EXPOSE 2195 2196 2197 2198
HEALTHCHECK --interval=2s --timeout=3s --start-period=10s CMD ["pushsend", "mock", "ready"]
ENTRYPOINT ["pushsend"]
CMD ["mock", "--listen", "0.0.0.0"]
